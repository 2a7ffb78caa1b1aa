import { hashApiKey } from '@despatch/access/api-keys'
import {
  type AuthenticateApiKey,
  createApiKeyAuthenticator,
} from '@despatch/access/authenticate-api-key'
import { changeApiKey } from '@despatch/access/change-api-key'
import { seedConsumer } from '@despatch/access/seed'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'

const second = 1_000
const day = 24 * 3_600 * second
const service = 'vehicle-enquiry'
const rightKey = { 'x-api-key': 'right-key' }

const aSeed = {
  userName: 'fleet',
  name: 'Fleet',
  password: 'correct horse',
  apiKey: 'right-key',
  roles: ['consumer'] as const,
  services: [service],
  contracts: [],
}

async function aConsumer(options: { connectionsMax?: number; seed?: object } = {}) {
  const { close, ...consumer } = await openConsumer(options)
  onTestFinished(close)
  return consumer
}

async function openConsumer({ connectionsMax = 6, seed = {} } = {}) {
  const { db, pool, close } = await aDatabase({ connectionsMax })
  const clock = { now: new Date(), monotonicMs: 0 }
  const consumerId = await seedConsumer(db, { ...aSeed, ...seed }, clock.now)
  const aProcess = (): AuthenticateApiKey =>
    createApiKeyAuthenticator({
      db,
      role: 'consumer',
      service,
      now: () => clock.now,
      monotonicMs: () => clock.monotonicMs,
    })
  const pass = (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms)
    clock.monotonicMs += ms
  }
  const change = (values: object) =>
    db.updateTable('consumer').set(values).where('id', '=', consumerId).execute()
  const authenticate = aProcess()
  return { db, pool, clock, consumerId, aProcess, authenticate, pass, change, close }
}

const refused = expect.objectContaining({
  kind: 'not-authenticated',
  message: 'API Key is either not provided, expired or invalid',
})

/** For tests that change nothing. */
const unchanged = await shared(openConsumer())

test('returns the consumer of a key, without a promise once the key is cached', async () => {
  const { aProcess, consumerId } = unchanged
  const authenticate = aProcess()
  const fleet = {
    consumerId,
    apiKeyHash: hashApiKey('right-key'),
    roles: ['consumer'],
    usagePlan: 'standard',
  }

  const first = authenticate(rightKey)
  expect(first).toBeInstanceOf(Promise)
  expect(await first).toEqual(fleet)
  expect(authenticate(rightKey)).toEqual(fleet)
})

test('reads the API key and ignores the Authorization header', async () => {
  const { aProcess, consumerId } = unchanged
  const authenticate = aProcess()

  const caller = await authenticate({ ...rightKey, authorization: 'Bearer nonsense' })

  expect(caller.consumerId).toBe(consumerId)
})

test.for<[name: string, apiKey: string | undefined]>([
  ['no key', undefined],
  ['an empty key', ''],
  ['another key', 'wrong-key'],
  ['the beginning of a key', 'right-ke'],
  ['a key and more', 'right-key '],
  ['another case', 'RIGHT-KEY'],
  ['what is kept of the key', hashApiKey('right-key').toString('hex')],
  ['a key without end', 'k'.repeat(10_000)],
])('refuses %s', async ([, apiKey]) => {
  const authenticate = unchanged.aProcess()
  await authenticate(rightKey)

  const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey }

  await expect(authenticate(headers)).rejects.toEqual(refused)
})

test('refuses a consumer without the service, or an account without the role, and names the reason', async () => {
  const other = await aConsumer({ seed: { services: ['print-request'] } })
  await expect(other.authenticate(rightKey)).rejects.toMatchObject({
    kind: 'not-permitted',
    message: 'The credentials are not for the service vehicle-enquiry',
  })

  const { db, authenticate } = await aConsumer()
  await insertProvider(db, { id: 'acme', name: 'Acme Print', printLocations: ['swansea'] })
  const provider = { ...aSeed, userName: 'acme', apiKey: 'acme-key', providerId: 'acme' }
  await seedConsumer(db, { ...provider, roles: ['provider'] })
  await expect(authenticate({ 'x-api-key': 'acme-key' })).rejects.toMatchObject({
    kind: 'not-permitted',
    message: 'This operation requires the role consumer',
  })
})

test('accepts a key on its last day, and refuses it from the day after, also when it is cached', async () => {
  const { authenticate, change, clock } = await aConsumer()
  clock.now = new Date('2026-06-30T23:59:59.800Z')
  await change({ api_key_expires_on: '2026-06-30' })

  expect(await authenticate(rightKey)).toBeDefined()
  clock.now = new Date('2026-07-01T00:00:00.000Z')

  await expect(authenticate(rightKey)).rejects.toEqual(refused)
})

test('sees after a second that a consumer was disabled or may no longer use the service', async () => {
  const { authenticate, change, pass } = await aConsumer()

  for (const [values, kind] of [
    [{ disabled_at: new Date() }, 'not-authenticated'],
    [{ services: [] }, 'not-permitted'],
  ] as const) {
    await change({ disabled_at: null, services: [service] })
    pass(second)
    await authenticate(rightKey)
    await change(values)

    pass(second - 1)
    expect(authenticate(rightKey)).not.toBeInstanceOf(Promise)
    pass(1)
    await expect(authenticate(rightKey)).rejects.toMatchObject({ kind })
  }
})

test('lets a consumer that was enabled in again at once', async () => {
  const { authenticate, change, consumerId } = await aConsumer()
  await change({ disabled_at: new Date() })
  await expect(authenticate(rightKey)).rejects.toEqual(refused)

  await change({ disabled_at: null })

  expect(await authenticate(rightKey)).toMatchObject({ consumerId })
})

test('does not cache a key that is being changed', async () => {
  const { authenticate, change } = await aConsumer()
  await change({
    api_key_change_id: '00000000-0000-4000-8000-000000000000',
    api_key_change_began_at: new Date(),
  })

  await authenticate(rightKey)

  const again = authenticate(rightKey)
  expect(again).toBeInstanceOf(Promise)
  await again
})

test('when a key has been changed, no process takes the old one any more and all take the new', async () => {
  const { db, consumerId } = await aConsumer()
  const processes = Array.from({ length: 3 }, () =>
    createApiKeyAuthenticator({ db, role: 'consumer', service }),
  )
  const isTaken = async (authenticate: AuthenticateApiKey, apiKey: string) => {
    try {
      return (await authenticate({ 'x-api-key': apiKey })).consumerId === consumerId
    } catch {
      return false
    }
  }
  const ask = (apiKey: string) =>
    Promise.all(processes.map((authenticate) => isTaken(authenticate, apiKey)))
  await ask('right-key')

  const rounds: number[] = []
  const changing = { isOver: false }
  const asking = keepAsking()
  async function keepAsking() {
    while (!changing.isOver) rounds.push((await ask('right-key')).filter(Boolean).length)
  }
  const changed = await changeApiKey({ db, consumerId, actor: 'operator:1' })
  changing.isOver = true
  const old = ask('right-key')
  const fresh = ask(changed.kind === 'changed' ? changed.apiKey : '')

  expect(await old).toEqual([false, false, false])
  expect(await fresh).toEqual([true, true, true])
  await asking
  // The switch may happen during one round. Before it all processes accept the old key; after it none does.
  const lastTaken = rounds.lastIndexOf(processes.length)
  expect(lastTaken).toBeGreaterThan(0)
  expect(rounds.slice(0, lastTaken).every((taken) => taken === processes.length)).toBe(true)
  expect(rounds.slice(lastTaken + 2).every((taken) => taken === 0)).toBe(true)
})

test('a flood of wrong keys delays no other caller, with a single connection', async () => {
  const { authenticate, consumerId } = await aConsumer({ connectionsMax: 1 })

  const wrong = Array.from({ length: 2_000 }, (_, index) =>
    Promise.resolve(authenticate({ 'x-api-key': `wrong-${index}` })),
  )
  const caller = authenticate(rightKey)
  const answers = await Promise.allSettled(wrong)

  expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(2_000)
  expect(await caller).toMatchObject({ consumerId })
})

test('a database that does not answer is a fault, not a refusal', async () => {
  const { authenticate, pool, pass } = await aConsumer()
  await authenticate(rightKey)
  await pool.query('alter table consumer rename to gone')
  pass(day)

  const asked = authenticate(rightKey)

  await expect(asked).rejects.toThrow('relation "consumer" does not exist')
})
