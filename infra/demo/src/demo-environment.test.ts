import { expect, test } from 'vitest'
import { makeDemoEnvironment } from './demo-environment.ts'

const places = { dataDirectory: '/data', databaseUrl: undefined }

test('given settings are passed to the stack, with free ports and without a second print factory', () => {
  const given = {
    QUEUE_URL: 'redis://queue',
    DESPATCH_PORT: '8080',
    DESPATCH_OPS_PORT: '8081',
    DESPATCH_SIMULATOR: 'on',
    DESPATCH_PRINT_RUN_AGE_MS: '900000',
    DESPATCH_DATA_DIR: 'other',
  }
  expect(makeDemoEnvironment(given, places)).toEqual({
    QUEUE_URL: 'redis://queue',
    DATABASE_URL: undefined,
    DESPATCH_DATA_DIR: '/data',
    DESPATCH_HOST: '127.0.0.1',
    DESPATCH_PORT: '0',
    DESPATCH_OPS_PORT: '0',
    DESPATCH_SIMULATOR: 'off',
    DESPATCH_PRINT_RUN_AGE_MS: '3000',
    DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8',
  })
})

test('callbacks to this machine are allowed in addition to the given ranges', () => {
  const { DESPATCH_CALLBACK_ALLOW } = makeDemoEnvironment(
    { DESPATCH_CALLBACK_ALLOW: '10.0.0.0/8' },
    places,
  )
  expect(DESPATCH_CALLBACK_ALLOW).toBe('10.0.0.0/8,127.0.0.0/8')
})

test('the database is the one that was chosen, not the one that is given', () => {
  const { DATABASE_URL } = makeDemoEnvironment(
    { DATABASE_URL: 'postgres://given/theirs' },
    { dataDirectory: '/data', databaseUrl: 'postgres://given/ours' },
  )
  expect(DATABASE_URL).toBe('postgres://given/ours')
})
