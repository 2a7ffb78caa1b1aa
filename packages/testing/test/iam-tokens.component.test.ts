import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { openQueues } from '@despatch/queue/open-queues'
import type { Task } from '@despatch/queue/queues'
import { openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { aCertificate, anAuthority } from '@despatch/testing/certificates'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { startIamPostgres } from '@despatch/testing/iam-postgres'
import { shared } from '@despatch/testing/shared'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'

const region = 'eu-west-2'
const [accessKeyId, secretAccessKey] = ['AKIDTEST', 'a secret of the tests']
const minuteMs = 60_000

const certificates = await shared(makeCertificates())
const database = await shared(cloneDatabase())

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test('each new connection signs in with a new token', async () => {
  setEnvironment(staticKey)
  const { server, address } = await aServer()
  const { pool } = open(address)

  const first = await pool.connect()
  tick(1_000)
  const second = await pool.connect()

  const { rows } = await first.query('select 7 as seven')
  expect(rows).toEqual([{ seven: 7 }])
  expect(new Set(server.tokens).size).toBe(2)
  expect(server.refusals).toEqual([])
  first.release()
  second.release()
})

test('a connection after the first token has expired signs in with a new token', async () => {
  setEnvironment(staticKey)
  const { server, address } = await aServer()
  const { pool } = open(address)
  await pool.query('select 1')
  const kept = server.tokens[0]!

  tick(16 * minuteMs)
  server.cut()
  await eventually(() => server.open() === 0 && pool.totalCount === 0, { message: 'cut' })
  await pool.query('select 1')

  expect(server.refusals).toEqual([])
  await expect(signInWith(kept, address)).rejects.toThrow('it has expired')
})

test('credentials are fetched once, and again before they expire', async () => {
  const container = await aContainer(60 * minuteMs)
  setEnvironment(container.environment)
  const { server, address } = await aServer()
  const connect = () => open(address).pool.query('select 1')

  await connect()
  await connect()
  tick(50 * minuteMs)
  await connect()

  const sessions = server.tokens.map((token) =>
    new URL(`https://${token}`).searchParams.get('X-Amz-Security-Token'),
  )
  expect(sessions).toEqual(['session-1', 'session-1', 'session-2'])
  expect(server.refusals).toEqual([])
})

test('without credentials the database is unavailable, and no connection stays open', async () => {
  setEnvironment({})
  const { server, address } = await aServer()

  const refused = await open(address)
    .pool.query('select 1')
    .catch((error: unknown) => error)

  expect(unavailableDependency(refused)).toBe('database')
  expect(String(refused)).toContain('There is no token of AWS IAM')
  await eventually(() => server.open() === 0, { message: 'the connection is closed' })
  expect(server.tokens).toEqual([])
})

test('a token is not sent to a server with another name or without TLS', async () => {
  setEnvironment(staticKey)
  const { server, address } = await aServer()
  const { port } = new URL(database.url)

  const elsewhere = address.replace('@localhost:', '@127.0.0.1:')
  await expect(open(elsewhere).pool.query('select 1')).rejects.toThrow(/altnames|ECONNREFUSED/)
  const plain = address.replace(String(server.port), port)
  await expect(open(plain).pool.query('select 1')).rejects.toThrow('does not support SSL')
  expect(server.tokens).toEqual([])
  expect(() => open(address.replace('verify-full', 'require'))).toThrow('must have sslmode')
})

test('migrations and queues sign in with tokens too', async () => {
  setEnvironment(staticKey)
  const { server, address } = await aServer()
  const onError = vi.fn()
  const seen: Task[] = []

  await migrate(address, { mustBeDurable: false })
  const queues = openQueues({ url: address, onError })
  onTestFinished(() => queues.close())
  const consumer = queues.consume('letters', async (task) => void seen.push(task), {
    concurrency: 1,
    onError,
  })
  await queues.enqueue('letters', [{ subject: 'a-letter', epoch: 1 }])

  await eventually(() => seen.length === 1, { message: 'the task is seen' })
  await consumer.close()
  expect(server.tokens.length).toBeGreaterThan(3)
  expect(server.refusals).toEqual([])
  expect(onError).not.toHaveBeenCalled()
})

test('the signer is loaded only for addresses that use it', async () => {
  const program = `
    import { createRequire } from 'node:module'
    import { openDatabase } from '@despatch/store/database'
    const { pool, close } = openDatabase(process.argv[1], { name: 'test', connectionsMax: 1 })
    await pool.query('select 1')
    await close()
    const loaded = Object.keys(createRequire(import.meta.url).cache)
    console.log(loaded.some((path) => path.includes('/pg/')), loaded.some((path) => path.includes('aws-sdk')))`

  const options = ['--input-type=module', '-e', program, database.url]
  const { stdout } = await promisify(execFile)(process.execPath, options, {
    cwd: join(import.meta.dirname, '..'),
  })

  expect(stdout).toBe('true false\n')
})

const staticKey = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }

/** Sets the AWS_ variables of a test. The SDK finds no others, and the clock is the test's. */
function setEnvironment(environment: Readonly<Record<string, string>>): void {
  const others = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
  for (const name of others) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null')
  vi.stubEnv('AWS_REGION', region)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  vi.useFakeTimers({ toFake: ['Date'] })
}

function tick(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}

/** A server that asks for tokens, in front of the database of the file. */
async function aServer() {
  const server = await startIamPostgres({
    url: database.url,
    certificate: certificates.server,
    region,
    secretAccessKey,
  })
  onTestFinished(() => server.close())
  const address = new URL(`postgresql://despatch@localhost:${server.port}/despatch`)
  address.search = new URLSearchParams({
    auth: 'aws-iam',
    sslmode: 'verify-full',
    sslrootcert: certificates.authority,
  }).toString()
  return { server, address: address.href }
}

function open(address: string) {
  const opened = openDatabase(address, { name: 'test', connectionsMax: 2 })
  opened.pool.on('error', () => {})
  onTestFinished(opened.close)
  return opened
}

/** Signs in as somebody who has kept a token. */
async function signInWith(token: string, address: string): Promise<void> {
  const url = new URL(address)
  url.searchParams.delete('auth')
  url.password = encodeURIComponent(token)
  await open(url.href).pool.query('select 1')
}

/** The credentials endpoint of a container, whose credentials are valid for `validMs`. */
async function aContainer(validMs: number) {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.end(
      JSON.stringify({
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        Token: `session-${asked}`,
        Expiration: new Date(Date.now() + validMs).toISOString(),
      }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/credentials`
  return { environment: { AWS_CONTAINER_CREDENTIALS_FULL_URI: address } }
}

async function makeCertificates() {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-iam-'))
  const authority = await anAuthority(directory, 'authority')
  const server = await aCertificate(directory, authority)
  return {
    authority: authority.path,
    server,
    close: () => rm(directory, { recursive: true, force: true }),
  }
}
