import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { fullDriverEnquiryConfig } from './config.ts'

const least = {
  DATABASE_URL: 'postgresql://localhost/despatch',
  DESPATCH_KEY_ENQUIRIES: 'ab'.repeat(32),
  DESPATCH_CPC_URL: 'http://127.0.0.1:8101',
  DESPATCH_TACHOGRAPH_URL: 'https://tachograph.example.test/internal/',
  DESPATCH_SOURCE_TOKEN: 'a-token-of-16-ch',
  PORT: '0',
}

test.for<[setting: Record<string, string>, message: RegExp]>([
  [{ DESPATCH_CPC_URL: '' }, /^DESPATCH_CPC_URL is required/],
  [{ DESPATCH_CPC_URL: 'cpc.example.test' }, /^DESPATCH_CPC_URL must start with http/],
  [{ DESPATCH_TACHOGRAPH_URL: 'http://u:p@host' }, /^DESPATCH_TACHOGRAPH_URL must start with/],
  [{ DESPATCH_TACHOGRAPH_URL: 'http://host/?a=b' }, /^DESPATCH_TACHOGRAPH_URL must start with/],
  [{ DESPATCH_SOURCE_TOKEN: 'short' }, /^DESPATCH_SOURCE_TOKEN must be 16 or more/],
  [{ DESPATCH_SOURCE_TIMEOUT_MS: '0' }, /^DESPATCH_SOURCE_TIMEOUT_MS must be a whole number/],
  [{ DESPATCH_ENVIRONMENT: 'test' }, /^DESPATCH_ENVIRONMENT must be production or uat/],
])('refuses %j', ([setting, message]) => {
  expect(() => readConfig(fullDriverEnquiryConfig, { ...least, ...setting })).toThrow(message)
})
