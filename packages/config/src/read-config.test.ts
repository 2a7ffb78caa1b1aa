import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError, readConfig } from './read-config.ts'
import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  queueSettings,
  secretSettings,
  trueOrFalse,
  wholeNumber,
} from './shared-settings.ts'

const everything = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...objectStoreSettings,
  ...listenSettings,
  ...secretSettings,
  ...loggingSettings,
})

const required = {
  DATABASE_URL: 'postgres://localhost/despatch',
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_BUCKET: 'despatch',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  PORT: '8080',
  DESPATCH_SECRET_KEY: 'ab'.repeat(32),
}

test('gives typed values, with defaults for what is absent or empty, and leaves other variables alone', () => {
  const config = readConfig(everything, {
    ...required,
    QUEUE_URL: '',
    LOG_LEVEL: '',
    HOME: '/root',
  })

  expect(config).toEqual({
    ...required,
    DESPATCH_SECRET_KEY_PREVIOUS: [],
    PORT: 8080,
    HOST: '127.0.0.1',
    S3_REGION: 'eu-west-2',
    LOG_LEVEL: 'info',
  })
})

test('lists every wrong variable on a line of its own', () => {
  const read = () =>
    readConfig(z.object({ ...databaseSettings, ...listenSettings, ...loggingSettings }), {
      DATABASE_URL: 'mysql://localhost',
      PORT: '',
      LOG_LEVEL: 'loud',
    })

  expect(read).toThrow(
    new ConfigError(
      [
        'DATABASE_URL must start with postgres:// or postgresql:// (the PostgreSQL database that all services share)',
        'PORT is required (port to listen on; 0: any free port)',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent (minimum level that is logged)',
      ].join('\n'),
    ),
  )
})

const wrong: [name: string, value: string][] = [
  ['DATABASE_URL', 'postgres://'],
  ['DATABASE_URL', 'http://hunter2'],
  ['QUEUE_URL', 'amqp://hunter2'],
  ['S3_ENDPOINT', 'ftp://hunter2'],
  ['S3_PUBLIC_ENDPOINT', 'hunter2'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80 80'],
  ['DESPATCH_SECRET_KEY', 'hunter2'],
  ['DESPATCH_SECRET_KEY', 'zz'.repeat(32)],
  ['LOG_LEVEL', 'hunter2'],
]

test.for(wrong)('refuses %s=%s without repeating the value', ([name, value]) => {
  const read = () => readConfig(everything, { ...required, [name]: value })

  expect(read).toThrow(new RegExp(`^${name} `))
  expect(read).not.toThrow(/hunter2|zz/)
})

const accepted: [name: string, value: string][] = [
  ['DATABASE_URL', 'postgresql://user:pass@db/despatch'],
  ['QUEUE_URL', 'redis://localhost'],
  ['QUEUE_URL', 'rediss://localhost'],
  ['QUEUE_URL', 'postgres://localhost/queue'],
  ['S3_PUBLIC_ENDPOINT', 'https://files.example.com'],
  ['HOST', '0.0.0.0'],
]

test.for(accepted)('accepts %s=%s', ([name, value]) => {
  const config: Record<string, unknown> = readConfig(everything, { ...required, [name]: value })

  expect(config[name]).toBe(value)
})

test('reads whole numbers and switches', () => {
  const schema = z.object({ SECONDS: wholeNumber({ min: 1, max: 60 }), ON: trueOrFalse() })

  expect(readConfig(schema, { SECONDS: '60', ON: 'false' })).toEqual({ SECONDS: 60, ON: false })
  expect(() => readConfig(schema, { SECONDS: '61', ON: 'yes' })).toThrow(
    'SECONDS must be a whole number from 1 to 60\nON must be true or false',
  )
})
