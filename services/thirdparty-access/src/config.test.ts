import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { thirdpartyAccessConfig } from './config.ts'

const least = {
  DATABASE_URL: 'postgresql://localhost/despatch',
  DESPATCH_KEY_SIGNING: 'ab'.repeat(32),
  DESPATCH_KEY_SIGN_IN: 'cd'.repeat(32),
  PORT: '0',
}

test.for<[setting: Record<string, string>, message: RegExp]>([
  [{ DESPATCH_SMTP_URL: 'http://mail.example.test' }, /^DESPATCH_SMTP_URL must start with/],
  [{ DESPATCH_SMTP_URL: 'smtp://mail.example.test' }, /^DESPATCH_MAIL_FROM is required/],
  [{ DESPATCH_MAIL_FROM: 'Despatch <a@example.test>' }, /^DESPATCH_MAIL_FROM must be/],
  [{ DESPATCH_MAIL_FROM: 'a@example.test\nBcc: b@example.test' }, /^DESPATCH_MAIL_FROM must be/],
  [{ DESPATCH_TRUSTED_PROXIES: 'all' }, /^DESPATCH_TRUSTED_PROXIES must be a whole number/],
])('refuses %j', ([setting, message]) => {
  expect(() => readConfig(thirdpartyAccessConfig, { ...least, ...setting })).toThrow(message)
})
