import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { uatConfig } from './config.ts'

const settings = { DATABASE_URL: 'postgres://localhost/despatch', PORT: '0' }
const refusal = 'DESPATCH_ENVIRONMENT must be uat: this service exists only in the test environment'

test('starts in the test environment', () => {
  expect(readConfig(uatConfig, { ...settings, DESPATCH_ENVIRONMENT: 'uat' })).toEqual({
    DATABASE_URL: 'postgres://localhost/despatch',
    PORT: 0,
    DESPATCH_STOP_DELAY_MS: 5_000,
    DESPATCH_ENVIRONMENT: 'uat',
    HOST: '127.0.0.1',
    DESPATCH_TRUSTED_PROXIES: 0,
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: 50,
    DESPATCH_CONNECTIONS_MAX: 4_000,
    DESPATCH_KEEP_ALIVE_MS: 72_000,
    LOG_LEVEL: 'info',
  })
})

test('does not start in production, and says why', () => {
  expect(() => readConfig(uatConfig, { ...settings, DESPATCH_ENVIRONMENT: 'production' })).toThrow(
    refusal,
  )
})

test('does not start without an environment', () => {
  expect(() => readConfig(uatConfig, settings)).toThrow('DESPATCH_ENVIRONMENT is required')
})
