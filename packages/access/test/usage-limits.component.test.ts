import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { listUsageOfDay } from '@despatch/store/access/usage-of-day'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { aDatabase } from '@despatch/testing/a-database'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readDayUsage } from '../src/day-usage.ts'
import {
  openUsageLimits,
  type UsageLimitsOptions,
  type UsageSettings,
} from '../src/usage-limits.ts'
import { openUsageStore } from '../src/usage-store.ts'

const queueBackends = await takeQueueBackends()

const service = 'print-request'
/** An address where nothing listens. */
const silentRedis = 'redis://127.0.0.1:1'
const noon = Date.parse('2026-03-01T12:00:00Z')
let consumers = 0

const database = await shared(aDatabase())
await database.db
  .insertInto('usage_plan')
  .values([
    { name: 'daily', service, requests_per_second: 50, burst: 0, requests_per_day: 60 },
    { name: 'changing', service, requests_per_second: 1, burst: 0, requests_per_day: null },
  ])
  .execute()

function aConsumer(usagePlan = 'standard') {
  const consumerId = `consumer-${consumers++}`
  return { consumerId, apiKeyHash: Buffer.alloc(32), roles: ['consumer'] as const, usagePlan }
}

type Given = Partial<UsageSettings> &
  Pick<UsageLimitsOptions, 'sources' | 'countsDays'> & { at?: number }

/** The limits of one process, at a time that the test sets. */
function aProcess({ at = noon, sources, countsDays = false, ...settings }: Given = {}) {
  const clock = { at, monotonicMs: 0 }
  const lines: Record<string, unknown>[] = []
  const metrics = createMetrics(service)
  const limits = openUsageLimits({
    service,
    database,
    settings: { DESPATCH_LIMITS_WHEN_STORE_DOWN: 'pass', ...settings },
    ...(sources && { sources }),
    countsDays,
    log: createLogger({
      service,
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    metrics,
    now: () => new Date(clock.at),
    monotonicMs: () => clock.monotonicMs,
  })
  const close = () => limits.close()
  onTestFinished(close)
  const decide = (caller: ReturnType<typeof aConsumer>) => limits.limit({ caller, ip: '' })
  const use = async (caller: ReturnType<typeof aConsumer>) => decide(caller)
  const useFrom = async (ip: string) => limits.limit({ ip })
  return { clock, lines, metrics, close, decide, use, useFrom }
}

function aStore(queueUrl: string | undefined) {
  const log = createLogger({ service, destination: { write: () => {} } })
  const metrics = createMetrics('administration')
  const usage = openUsageStore({ queueUrl, pool: database.pool, log, metrics })
  onTestFinished(() => usage.close())
  return usage
}

type Process = ReturnType<typeof aProcess>

/** Returns how many of `times` concurrent requests are let through. */
async function passed(times: number, use: () => ReturnType<Process['use']>): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: times }, use))
  return decisions.filter((decision) => !decision?.refusal).length
}

test('counts the requests of each consumer by day as let through or refused, with any plan', async () => {
  const [one, other] = [aProcess({ countsDays: true }), aProcess({ countsDays: true })]
  const { consumerId } = await insertConsumer(database.db)
  const [free, limited] = [
    { ...aConsumer('without-limits'), consumerId },
    { ...aConsumer(), consumerId: (await insertConsumer(database.db)).consumerId },
  ]

  await passed(20, () => one.use(free))
  await passed(30, () => other.use(free))
  one.clock.at += 1_000
  await passed(25, () => one.use(free))
  await passed(400, () => one.use(limited))
  await Promise.all([one.close(), other.close()])

  const day = Math.floor(noon / 86_400_000)
  const usageOf = async (of: string) =>
    (await listUsageOfDay(database.db, { consumerId: of, day })).get(service)
  expect(await usageOf(consumerId)).toMatchObject({ requests: 75, refused: 0, peakPerSecond: 30 })
  expect(await usageOf(limited.consumerId)).toMatchObject({ requests: 300, refused: 100 })
})

describe.each(queueBackends)('counting in $name', ({ name, url }) => {
  // On PostgreSQL the counts are in the database of the plans.
  const store = name === 'redis' ? { QUEUE_URL: url } : {}

  test('one process lets exactly the rate and burst through at once, then only the rate', async () => {
    const { clock, use } = aProcess(store)
    const consumer = aConsumer()

    const first = await passed(400, () => use(consumer))
    clock.at += 1_000
    const next = await passed(400, () => use(consumer))
    clock.at += 60_000
    const later = await passed(400, () => use(consumer))

    expect([first, next, later]).toEqual([300, 100, 300])
  })

  test('two processes together exceed each window of the plan by at most one block each', async () => {
    const [one, other] = [aProcess(store), aProcess(store)]
    const consumer = aConsumer()

    const counts = await Promise.all([
      passed(400, () => one.use(consumer)),
      passed(400, () => other.use(consumer)),
    ])
    const total = counts[0] + counts[1]

    expect(total).toBeGreaterThanOrEqual(300)
    expect(total).toBeLessThanOrEqual(300 + 2 * (5 + 10))
    expect(await passed(10, () => one.use(consumer))).toBe(0)
  })

  test('the use of one consumer does not count for another', async () => {
    const { use } = aProcess(store)
    const [consumer, another] = [aConsumer(), aConsumer()]

    await passed(400, () => use(consumer))

    expect(await passed(400, () => use(another))).toBe(300)
  })

  test('the quota of a day survives a restart, and is reset at midnight UTC', async () => {
    const at = Date.parse('2026-03-01T23:59:30.250Z')
    const before = aProcess({ ...store, at })
    const consumer = aConsumer('daily')
    const used = await passed(40, () => before.use(consumer))
    await before.close()

    const { clock, use } = aProcess({ ...store, at: at + 1_000 })
    // The first request learns what was used before the restart.
    await use(consumer)
    await expect
      .poll(async () => (await use(consumer))?.left)
      .toContainEqual({ name: 'day', requests: expect.toSatisfy((left) => left < 20), seconds: 29 })
    const rest = await passed(40, () => use(consumer))
    const refusal = await use(consumer)
    clock.at = Date.parse('2026-03-01T23:59:59.999Z')
    const atTheEnd = await use(consumer)
    clock.at += 1
    const nextDay = await passed(40, () => use(consumer))

    expect(used).toBe(40)
    expect(rest).toBeLessThanOrEqual(18)
    expect(refusal).toEqual({
      windows: [
        { name: 'second', requests: 50, seconds: 1 },
        { name: 'day', requests: 60, seconds: 86_400 },
      ],
      left: [{ name: 'day', requests: 0, seconds: 29 }],
      refusal: {
        reason: 'day',
        problem: expect.objectContaining({
          kind: 'too-many-requests',
          message: 'Too many requests: the limit is 60 per day (UTC)',
        }),
        retryAfterSeconds: 29,
      },
    })
    expect(atTheEnd?.refusal?.retryAfterSeconds).toBe(1)
    expect(nextDay).toBe(40)
  })

  test('the usage of a day is read from the store, again each day', async () => {
    const { use, close } = aProcess(store)
    const consumer = aConsumer('daily')
    const usage = aStore(store.QUEUE_URL)
    const read = (at: number) =>
      readDayUsage(
        usage,
        { service, consumerId: consumer.consumerId },
        { requestsPerDay: 60 },
        new Date(at),
      )

    const before = await read(noon)
    await passed(10, () => use(consumer))
    await close()

    const day = { perDay: 60, unreportedMax: 3, endsAt: new Date('2026-03-02T00:00:00Z') }
    expect(before).toEqual({ day: { ...day, used: 0 }, dayBytes: null })
    expect(await read(noon)).toEqual({ day: { ...day, used: 10 }, dayBytes: null })
    expect((await read(Date.parse('2026-03-02T00:00:00Z'))).day).toMatchObject({ used: 0 })
  })

  test('all callers together are held to the overall rate', async () => {
    const { clock, use } = aProcess({ ...store, DESPATCH_OVERALL_REQUESTS_PER_SECOND: 30 })

    const first = await passed(50, () => use(aConsumer(`plan-without-limits`)))
    const refusal = await use(aConsumer())
    clock.at += 1_000

    expect(first).toBe(30)
    expect(refusal?.refusal).toMatchObject({ reason: 'overall', retryAfterSeconds: 1 })
    expect((await use(aConsumer()))?.refusal).toBeUndefined()
  })
})

test('a plan without a row for the service has no limit', async () => {
  const { use } = aProcess()

  expect(await use(aConsumer('no-such-plan'))).toBeUndefined()
})

test('returns what remains of the second, or of the burst once the burst is in use', async () => {
  const { clock, use } = aProcess()
  const consumer = aConsumer()
  const windows = [
    { name: 'second', requests: 100, seconds: 1 },
    { name: 'burst', requests: 200, seconds: 60 },
  ]

  const first = await use(consumer)
  await passed(99, () => use(consumer))
  clock.at += 250
  const beyondTheRate = await use(consumer)
  await passed(199, () => use(consumer))
  const refusal = await use(consumer)

  expect(first).toEqual({ windows, left: [{ name: 'second', requests: 99, seconds: 1 }] })
  expect(beyondTheRate).toEqual({ windows, left: [{ name: 'burst', requests: 199, seconds: 60 }] })
  expect(refusal).toEqual({
    windows,
    left: [{ name: 'second', requests: 0, seconds: 1 }],
    refusal: {
      reason: 'rate',
      problem: expect.objectContaining({
        kind: 'too-many-requests',
        message: 'Too many requests: the limit is 100 per second and 200 more per minute',
      }),
      retryAfterSeconds: 1,
    },
  })
})

test('a changed plan counts after two seconds', async () => {
  const { clock, use } = aProcess()
  const consumer = aConsumer('changing')
  await use(consumer)

  await database.db
    .updateTable('usage_plan')
    .set({ requests_per_second: 5 })
    .where('name', '=', 'changing')
    .execute()
  clock.monotonicMs += 2_000
  const decision = await use(consumer)

  expect(decision?.windows).toEqual([{ name: 'second', requests: 5, seconds: 1 }])
})

test('a source address has a rate limit, an IPv6 network counts as one, and no address is stored', async () => {
  const sources = { requestsPerSecond: 20, burst: 20, secretKeyHex: 'ab'.repeat(32) }
  const { useFrom } = aProcess({ sources })

  expect(await passed(50, () => useFrom('192.0.2.1'))).toBe(40)
  expect(await passed(50, () => useFrom('::ffff:192.0.2.1'))).toBe(0)
  expect(await passed(20, () => useFrom('2001:db8::1'))).toBe(20)
  expect(await passed(50, () => useFrom('2001:db8::2'))).toBe(20)

  const { rows } = await database.pool.query<{ key: string }>('select key from usage_count')
  expect(rows.filter(({ key }) => key.includes(' source ')).length).toBeGreaterThan(0)
  expect(rows.filter(({ key }) => /192\.0\.2|2001:db8/.test(key))).toEqual([])
})

test('without settings for sources, routes without a caller are not limited', async () => {
  expect(await aProcess().useFrom('192.0.2.1')).toBeUndefined()
})

describe('while the store is unavailable', () => {
  test('the use of the day is unknown', async () => {
    const usage = aStore(silentRedis)

    const of = { service, consumerId: 'somebody' }
    const limits = { requestsPerDay: 10, bytesPerDay: 1_048_576 }
    const unknown = { used: undefined, endsAt: new Date('2026-03-02T00:00:00Z') }
    expect(await readDayUsage(usage, of, limits, new Date(noon))).toEqual({
      day: { ...unknown, perDay: 10, unreportedMax: 1 },
      dayBytes: { ...unknown, perDay: 1_048_576, unreportedMax: 52_224 },
    })
  })

  const unshared = async ({ metrics }: Process) =>
    Number(/usage_unshared_requests_total\S* (\d+)/.exec(await metrics.metrics())?.[1])

  test('pass: the process limits alone, counts what it does not share and logs once', async () => {
    const process = aProcess({ QUEUE_URL: silentRedis })
    const consumer = aConsumer()

    const first = await passed(400, () => process.use(consumer))
    process.clock.at += 1_000
    process.clock.monotonicMs += 1_500
    const next = await passed(400, () => process.use(consumer))

    expect([first, next]).toEqual([300, 100])
    expect(await unshared(process)).toBeGreaterThanOrEqual(400)
    expect(process.lines.map(({ msg, level }) => ({ msg, level }))).toEqual([
      { msg: 'usage-store.silent', level: 'warn' },
    ])
  })

  test('pass: waits only once for a store that accepts connections and does not answer', async () => {
    const server = createServer()
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const process = aProcess({ QUEUE_URL: `redis://127.0.0.1:${port}` })
    const consumer = aConsumer()

    const first = await passed(400, () => process.use(consumer))
    process.clock.at += 1_000
    const decision = process.decide(consumer)

    expect(first).toBe(300)
    expect(decision).not.toBeInstanceOf(Promise)
  })

  test('refuse: answers 503 to every limited request, from the first', async () => {
    const process = aProcess({ QUEUE_URL: silentRedis, DESPATCH_LIMITS_WHEN_STORE_DOWN: 'refuse' })

    const decision = await process.use(aConsumer())
    const again = await passed(10, () => process.use(aConsumer()))
    const unlimited = await process.use(aConsumer('no-such-plan'))

    expect(decision).toMatchObject({
      left: [],
      refusal: { reason: 'store', problem: { kind: 'unavailable' }, retryAfterSeconds: 1 },
    })
    expect(again).toBe(0)
    expect(unlimited).toBeUndefined()
    expect(process.lines).toHaveLength(1)
  })

  test('refuse: lets requests through when the store answers', async () => {
    const process = aProcess({ DESPATCH_LIMITS_WHEN_STORE_DOWN: 'refuse' })
    const consumer = aConsumer()

    expect(await passed(400, () => process.use(consumer))).toBe(300)
    expect(await process.metrics.metrics()).toContain(
      'usage_refused_requests_total{reason="rate",service="print-request"} 100',
    )
  })
})
