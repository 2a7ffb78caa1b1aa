import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { shared } from '@despatch/testing/shared'
import { expect, inject, onTestFinished, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())

const random = '8f1c2b7e94d05a6633e1f7a8c0d9b2514e6f7081923a4b5c6d7e8f90a1b2c3d4'

type Finding = { subject: string; state: string; found: string; mend?: string }

async function examine(variables: Record<string, string>, options = '') {
  const { code, stdout, stderr } = await running.despatch(['doctor --json', options], variables)
  const { isHealthy, findings } = JSON.parse(stdout)
  return { code, stdout, stderr, isHealthy, findings: findings as Finding[] }
}

test('where all is well, every check says so', async () => {
  const { redisUrl } = inject('infra')
  const { code, stdout, findings, isHealthy } = await examine({
    ...objectStoreSettings(),
    DATABASE_URL: running.databaseUrl,
    ...(redisUrl && { QUEUE_URL: redisUrl }),
    DESPATCH_SECRET_KEY: random,
    DESPATCH_KEY_CALLBACKS: random,
  })

  // the server of the tests does not survive a crash
  const others = findings.filter(({ found }) => !found.includes('a crash may lose letters'))
  expect(others.filter(({ state }) => state === 'bad')).toEqual([])
  expect([code, isHealthy]).toEqual(others.length < findings.length ? [1, false] : [0, true])
  expect(findings.map(({ subject }) => subject)).toEqual([
    'Node.js',
    'base address',
    'clock of the base address',
    'operations address',
    'clock of the operations address',
    'credentials of the operator: password',
    'credentials of the operator: API key',
    'credentials of the consumer: password',
    'credentials of the consumer: API key',
    'database',
    'clock of the database',
    ...Array(others.length < findings.length ? 3 : 1).fill('settings of the database'),
    'migrations',
    'periodic tasks',
    'queues',
    'object store',
    'secret key',
    'DESPATCH_KEY_CALLBACKS',
    'callback ranges',
  ])
  for (const secret of [random, running.operator.password, running.operator.apiKey]) {
    expect(stdout).not.toContain(secret)
  }
})

test('the probe object is deleted afterwards', async () => {
  await examine(objectStoreSettings())

  const objects = openObjectStore(inject('infra').objectStore)
  const left = await objects.list('uploads/', { keysMax: 10_000 })
  objects.close()
  expect(left.filter((key) => key.startsWith('uploads/probe-'))).toEqual([])
})

test('secrets are read from files too, and a file that cannot be read is named', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-doctor-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'secret')
  const { S3_SECRET_ACCESS_KEY, ...others } = objectStoreSettings()
  await writeFile(path, `${S3_SECRET_ACCESS_KEY}\n`)

  const { findings } = await examine({ ...others, S3_SECRET_ACCESS_KEY_FILE: path })
  const unread = await running.despatch('doctor --reconcile', {
    DATABASE_URL_FILE: `${path}.missing`,
  })

  expect(findings.find(({ subject }) => subject === 'object store')?.state).toBe('good')
  expect([unread.code, unread.stderr]).toEqual([
    2,
    'despatch: DATABASE_URL cannot be read from the file that DATABASE_URL_FILE names: ENOENT\n',
  ])
})

test('errors are shown with their fix, and the command exits with 1', async () => {
  const database = new URL(running.databaseUrl)
  database.pathname = '/there-is-none'
  database.password = 'secret-of-the-database'
  const { code, stdout, stderr, findings, isHealthy } = await examine(
    {
      ...objectStoreSettings(),
      S3_SECRET_ACCESS_KEY: 'secret-of-the-store',
      S3_BUCKET: 'there-is-none',
      DATABASE_URL: database.href,
      QUEUE_URL: 'redis://:secret-of-the-queue@127.0.0.1:9',
      DESPATCH_SECRET_KEY: 'secret-of-despatch',
      DESPATCH_KEY_SIGN_IN: 'secret-of-sign-in',
      DESPATCH_CALLBACK_ALLOW: '0.0.0.0/0',
      DESPATCH_USER_NAME: 'chief',
      DESPATCH_PASSWORD: 'secret-of-the-chief',
      DESPATCH_API_KEY: 'secret-of-the-chief',
    },
    '--ops-url http://127.0.0.1:9',
  )

  expect([code, stderr, isHealthy]).toEqual([1, '', false])
  const bad = findings.filter(({ state }) => state === 'bad')
  expect(bad.map(({ subject }) => subject)).toEqual([
    'operations address',
    'credentials of the environment',
    'database',
    'queues',
    'object store',
    'secret key',
    'DESPATCH_KEY_SIGN_IN',
    'callback ranges',
  ])
  expect(bad.every(({ mend }) => mend !== undefined)).toBe(true)
  expect(stdout).not.toContain('secret-of')
})

test('nothing is known where Despatch has never run', async () => {
  const { code, stdout } = await running.despatch('doctor', {
    DESPATCH_DATA_DIR: '/tmp/no-despatch-here',
  })

  expect(code).toBe(1)
  expect(stdout).toMatch(/^BAD {3}base address +the address is not known$/m)
  expect(stdout).toMatch(/^- {5}database +DATABASE_URL is not set here$/m)
})
