import { randomUUID } from 'node:crypto'
import { chooseCallbacks } from '@despatch/domain/callback/choose'
import { findCandidates } from '@despatch/store/callback/candidates'
import { leaseCallbacks } from '@despatch/store/callback/lease'
import { listCallbackOriginPage } from '@despatch/store/callback/origins'
import { openDatabase } from '@despatch/store/database'
import { aDatabase } from '@despatch/testing/a-database'
import { type Seeder, secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { someLimits, takeIds, takeOnce } from '@despatch/testing/take-callbacks'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { countOpenBreakers, recordOriginCalls } from '../src/delivery/origin-calls.ts'

const { db, pool, url } = await shared(aDatabase({ pipeline: true }))
const another = await shared(
  openDatabase(url, { name: 'another', connectionsMax: 2, pipeline: true }),
)
let seed: Seeder

beforeEach(async () => {
  for (const table of ['callback_attempt', 'callback', 'callback_origin'] as const) {
    await db.deleteFrom(table).execute()
  }
  seed = await seeder(db)
})

const origin = 'https://example.com'
const due = async (given: Partial<Parameters<Seeder['callback']>[0]> = {}) =>
  seed.callback({ print_job_key: await seed.printJob(), ...given })
const failure = () => ({ origin, at: new Date(), outcome: 'timeout' as const, isFailure: true })
const success = () => ({ origin, at: new Date(), outcome: 'delivered' as const, isFailure: false })
const failures = (count: number) => Array.from({ length: count }, failure)
const breaker = async () =>
  (await db.selectFrom('callback_origin').select('breaker').executeTakeFirst())?.breaker
const passTime = (seconds: number) =>
  sql`update callback_origin set breaker_until = breaker_until - ${seconds} * interval '1 second'`.execute(
    db,
  )

test('calls that end in two processes are all counted together', async () => {
  await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      recordOriginCalls(index % 2 === 0 ? db : another.db, [failure()]),
    ),
  )
  expect(await breaker()).toBe('closed')

  await recordOriginCalls(db, [failure()])

  expect(await listCallbackOriginPage(db, { originsMax: 10 })).toEqual([
    {
      origin,
      breaker: 'open',
      breakerUntil: expect.any(Date),
      failuresInRow: 10,
      lastSuccessAt: null,
      lastFailureAt: expect.any(Date),
      lastOutcome: 'timeout',
      due: 0,
      oldestDueAt: null,
      dead: 0,
    },
  ])
  expect(await countOpenBreakers(db)).toBe(1)
})

test('a retry that an open breaker held back until its window ended is made as the last attempt', async () => {
  await recordOriginCalls(db, failures(10))
  const given = { attempts: 4, first_attempt_at: secondsAgo(60), due_at: secondsAgo(10) }
  for (let index = 0; index < 8; index++) await seed.underWay(await due(), secondsAgo(-20))
  const late = await due({ ...given, window_ends_at: secondsAgo(1) })
  await due({ ...given, window_ends_at: secondsAgo(-1) })

  expect(await takeIds(pool)).toEqual([late])
})

test('after the pause only one of two processes makes a probe, and its success closes the breaker', async () => {
  await recordOriginCalls(db, failures(10))
  for (let index = 0; index < 5; index++) await due()
  await passTime(31)

  const probes = [...(await takeIds(pool)), ...(await takeIds(another.pool))]
  expect(probes).toHaveLength(1)
  expect(await breaker()).toBe('half-open')

  await recordOriginCalls(another.db, [success()])

  expect(await breaker()).toBe('closed')
  expect(await takeIds(pool)).toHaveLength(4)
})

test('a failed probe opens the breaker again, and a lost probe is replaced', async () => {
  await recordOriginCalls(db, failures(10))
  for (let index = 0; index < 3; index++) await due()
  await passTime(31)
  expect(await takeIds(pool)).toHaveLength(1)

  await passTime(21)
  expect(await takeIds(pool)).toHaveLength(1)

  await recordOriginCalls(db, [failure()])
  expect(await breaker()).toBe('open')
  expect(await takeIds(pool)).toEqual([])
})

test('calls that are recorded late do not change later times', async () => {
  const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 10, 0, second))
  await recordOriginCalls(db, [
    { ...success(), at: at(30) },
    { ...failure(), at: at(40) },
  ])

  await recordOriginCalls(another.db, [
    { ...success(), at: at(10) },
    { ...failure(), at: at(20) },
  ])

  const times = db.selectFrom('callback_origin').select(['last_success_at', 'last_failure_at'])
  expect(await times.execute()).toEqual([{ last_success_at: at(30), last_failure_at: at(40) }])
})

test('a probe chosen before the breaker changed does not change the breaker', async () => {
  await recordOriginCalls(db, failures(10))
  const id = await due()
  await passTime(31)
  const client = await pool.connect()
  const underWay = new Map<string, number>()
  const given = { free: 100, leaseSeconds: 20, limits: someLimits, underWay, without: [] }
  const { now, due: found, origins, calls } = await findCandidates(client, given)
  const choice = chooseCallbacks({ ...given, now, due: found, origins, calls })
  expect(choice.origins).toMatchObject([{ origin, health: { breaker: 'half-open' } }])
  // meanwhile another process makes the probe, and its call ends
  await takeOnce(another.pool)
  await recordOriginCalls(another.db, [success()])

  await leaseCallbacks(client, choice, { ...given, origins, newBatch: randomUUID })

  client.release()
  expect(choice.taken).toEqual([id])
  expect(await breaker()).toBe('closed')
})

test('lists origins with due, dead or failing callbacks by name, in pages', async () => {
  await due({ origin: 'https://a', due_at: secondsAgo(90) })
  await seed.underWay(await due({ origin: 'https://a' }), secondsAgo(-60))
  await due({ origin: 'https://b', state: 'DEAD', end_reason: 'refused', ended_at: new Date() })
  await due({ origin: 'https://c', state: 'DELIVERED', ended_at: new Date() })
  await recordOriginCalls(db, [{ ...failure(), origin: 'https://d' }])
  await recordOriginCalls(db, [{ ...success(), origin: 'https://e' }])

  const [first, second] = await listCallbackOriginPage(db, { originsMax: 2 })
  const rest = await listCallbackOriginPage(db, { after: second!.origin, originsMax: 2 })

  expect([first, second, ...rest]).toMatchObject([
    { origin: 'https://a', due: 2, oldestDueAt: expect.any(Date), dead: 0 },
    { origin: 'https://b', due: 0, oldestDueAt: null, dead: 1 },
    { origin: 'https://d', due: 0, dead: 0, failuresInRow: 1, lastOutcome: 'timeout' },
  ])
})
