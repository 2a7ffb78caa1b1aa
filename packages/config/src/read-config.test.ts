import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { keySettings, rootKeySettings } from './key-settings.ts'
import { ConfigError, readConfig, withSecretsOfFiles } from './read-config.ts'
import { deriveKeys } from './service-keys.mjs'
import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  queueSettings,
  trueOrFalse,
  wholeNumber,
} from './shared-settings.ts'

const everything = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...objectStoreSettings,
  ...listenSettings,
  ...rootKeySettings,
  ...keySettings.callbacks,
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
  DESPATCH_KEY_CALLBACKS: 'cd'.repeat(32),
}

test('returns typed values, with defaults for absent or empty variables, and ignores other variables', () => {
  const config = readConfig(everything, {
    ...required,
    QUEUE_URL: '',
    LOG_LEVEL: '',
    HOME: '/root',
  })

  expect(config).toEqual({
    ...required,
    S3_FORCE_PATH_STYLE: true,
    DESPATCH_SECRET_KEY_PREVIOUS: [],
    DESPATCH_KEY_CALLBACKS_PREVIOUS: [],
    PORT: 8080,
    HOST: '127.0.0.1',
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: 50,
    DESPATCH_CONNECTIONS_MAX: 4_000,
    DESPATCH_KEEP_ALIVE_MS: 72_000,
    S3_REGION: 'eu-west-2',
    LOG_LEVEL: 'info',
  })
})

test('reports each wrong variable on its own line', () => {
  const read = () =>
    readConfig(z.object({ ...databaseSettings, ...listenSettings, ...loggingSettings }), {
      DATABASE_URL: 'mysql://localhost',
      PORT: '',
      LOG_LEVEL: 'loud',
    })

  expect(read).toThrow(
    new ConfigError(
      [
        'DATABASE_URL must start with postgres:// or postgresql:// (the PostgreSQL database that all services share; with auth=aws-iam, a token of AWS IAM is the password)',
        'PORT is required (port to listen on; 0: any free port)',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent (minimum level that is logged)',
      ].join('\n'),
    ),
  )
})

const wrong: [name: string, value: string][] = [
  ['DATABASE_URL', 'postgres://'],
  ['DATABASE_URL', 'http://hunter2'],
  ['DATABASE_URL', 'postgresql://owner:hunter2@db/d?auth=aws-iam&sslmode=verify-full'],
  ['QUEUE_URL', 'postgresql://owner@hunter2/d?auth=aws-iam'],
  ['QUEUE_URL', 'redis://hunter2/1?cluster=true'],
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
  ['DATABASE_URL', 'postgresql://user@db/despatch?auth=aws-iam&sslmode=verify-full'],
  ['QUEUE_URL', 'redis://localhost'],
  ['QUEUE_URL', 'rediss://localhost'],
  ['QUEUE_URL', 'rediss://localhost?cluster=true&cacert=/etc/ca.pem'],
  ['QUEUE_URL', 'postgres://localhost/queue'],
  ['S3_PUBLIC_ENDPOINT', 'https://files.example.com'],
  ['HOST', '0.0.0.0'],
]

test.for(accepted)('accepts %s=%s', ([name, value]) => {
  const config: Record<string, unknown> = readConfig(everything, { ...required, [name]: value })

  expect(config[name]).toBe(value)
})

test('listens on 127.0.0.1 for HOST=localhost, where the health check of a container asks', () => {
  const { HOST } = readConfig(everything, { ...required, HOST: 'localhost' })

  expect(HOST).toBe('127.0.0.1')
})

test('reads whole numbers and switches', () => {
  const schema = z.object({ SECONDS: wholeNumber({ min: 1, max: 60 }), ON: trueOrFalse() })

  expect(readConfig(schema, { SECONDS: '60', ON: 'false' })).toEqual({ SECONDS: 60, ON: false })
  expect(() => readConfig(schema, { SECONDS: '61', ON: 'yes' })).toThrow(
    'SECONDS must be a whole number from 1 to 60\nON must be true or false',
  )
})

async function aFile(content: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-config-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'secret')
  await writeFile(path, content)
  return path
}

test('reads a secret from the file that _FILE names, without the line break at its end', async () => {
  const path = await aFile(`${'cd'.repeat(32)}\n`)
  const { DESPATCH_SECRET_KEY: _, ...others } = required
  const environment = { ...others, DESPATCH_SECRET_KEY_FILE: path }

  expect(readConfig(everything, environment).DESPATCH_SECRET_KEY).toBe('cd'.repeat(32))
  expect(withSecretsOfFiles(environment)).toEqual(
    expect.objectContaining({ DESPATCH_SECRET_KEY: 'cd'.repeat(32) }),
  )
  expect(withSecretsOfFiles(environment)).not.toHaveProperty('DESPATCH_SECRET_KEY_FILE')
})

test('refuses a secret that is given twice, a file that is missing or empty, and files of other settings', async () => {
  const path = await aFile('\n')
  const twice = { ...required, DESPATCH_SECRET_KEY_FILE: path }
  const bothGiven = 'DESPATCH_SECRET_KEY and DESPATCH_SECRET_KEY_FILE must not both be given'
  expect(() => readConfig(everything, twice)).toThrow(new ConfigError(bothGiven))
  expect(() => withSecretsOfFiles(twice)).toThrow(new ConfigError(bothGiven))

  const { DESPATCH_SECRET_KEY: _, PORT: _port, ...others } = required
  const read = (given: object) => () => readConfig(everything, { ...others, PORT: '1', ...given })
  expect(read({ DESPATCH_SECRET_KEY_FILE: `${path}.missing` })).toThrow(
    'DESPATCH_SECRET_KEY cannot be read from the file that DESPATCH_SECRET_KEY_FILE names: ENOENT',
  )
  expect(read({ DESPATCH_SECRET_KEY_FILE: path })).toThrow(/^DESPATCH_SECRET_KEY is required/)
  expect(read({ ...required, PORT: '', PORT_FILE: path })).toThrow(/^PORT is required/)
})

const publishedRoot = 'deadbeef'.padStart(64, '0')
const published: [name: string, value: string][] = [
  ['DESPATCH_SECRET_KEY', publishedRoot],
  ['DESPATCH_KEY_CALLBACKS', publishedRoot],
  ['DESPATCH_KEY_CALLBACKS', deriveKeys(publishedRoot).DESPATCH_KEY_CALLBACKS],
  ['S3_SECRET_ACCESS_KEY', 'despatch-trial-secret'],
  ['S3_SECRET_ACCESS_KEY', 'minioadmin'],
  ['DATABASE_URL', 'postgres://despatch:despatch@db/despatch'],
]

test.for(published)('refuses the published %s, except in the test environment', ([name, value]) => {
  const given = { ...required, [name]: value }

  expect(() => readConfig(everything, given)).toThrow(
    new ConfigError(`${name} has a value that has been published: make your own`),
  )
  const uat = { ...given, DESPATCH_ENVIRONMENT: 'uat' }
  expect(readConfig(everything, uat)).toHaveProperty(name, value)
})

test('a missing service key names the command that derives the key', () => {
  const { DESPATCH_KEY_CALLBACKS: _, DESPATCH_SECRET_KEY: root, ...others } = required
  const service = everything.omit({ DESPATCH_SECRET_KEY: true })
  const read = (given: object) => () => readConfig(service, { ...others, ...given })
  const command = / \(key that .*; npx despatch keys derive prints it\)$/

  expect(read({})).toThrow(/^DESPATCH_KEY_CALLBACKS is required \(/)
  expect(read({})).toThrow(command)
  for (const given of [{ DESPATCH_SECRET_KEY: root }, { DESPATCH_SECRET_KEY_FILE: '/root' }]) {
    expect(read(given)).toThrow(
      /^DESPATCH_KEY_CALLBACKS is required in place of DESPATCH_SECRET_KEY, which services do not read/,
    )
    expect(read(given)).toThrow(command)
  }
})
