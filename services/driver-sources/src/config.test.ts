import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { driverSourcesConfig } from './config.ts'

const least = {
  DATABASE_URL: 'postgresql://localhost/despatch',
  DESPATCH_DRIVER_SOURCE: 'cpc',
  DESPATCH_SOURCE_TOKEN: 'a-token-of-16-ch',
  PORT: '0',
}

test.for<[setting: Record<string, string>, message: RegExp]>([
  [{ DESPATCH_DRIVER_SOURCE: '' }, /^DESPATCH_DRIVER_SOURCE is required/],
  [{ DESPATCH_DRIVER_SOURCE: 'both' }, /^DESPATCH_DRIVER_SOURCE must be one of cpc, tachograph/],
  [{ DESPATCH_SOURCE_TOKEN: '' }, /^DESPATCH_SOURCE_TOKEN is required/],
  [{ DESPATCH_SOURCE_TOKEN: 'short' }, /^DESPATCH_SOURCE_TOKEN must be 16 or more/],
  [{ DESPATCH_SOURCE_TOKEN: 'a token with blanks in it' }, /^DESPATCH_SOURCE_TOKEN must be/],
])('refuses %j', ([setting, message]) => {
  expect(() => readConfig(driverSourcesConfig, { ...least, ...setting })).toThrow(message)
})
