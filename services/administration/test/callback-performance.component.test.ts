import { randomUUID } from 'node:crypto'
import { halfHoursUntil } from '@despatch/domain/calendar/half-hours'
import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { readPerformance } from '../src/operations/list-callback-performance.ts'
import { consumerWithCallbacks, callbackOrigins as origins } from './a-consumer-with-callbacks.ts'
import { anAdministration } from './an-administration.ts'

const now = new Date()
const administration = await shared(anAdministration({ now: () => now }))
const { db } = administration

const minutesAgo = (minutes: number) => new Date(+now - minutes * 60_000).toISOString()

async function attempt(
  callbackId: string,
  number: number,
  given: { outcome: AttemptOutcome; durationMs: number; minutes: number },
) {
  const at = new Date(minutesAgo(given.minutes))
  await db
    .insertInto('callback_attempt')
    .values({
      callback_id: callbackId,
      number,
      outcome: given.outcome,
      duration_ms: given.durationMs,
      planned_at: at,
      started_at: at,
      http_status: { delivered: 204, refused: 503 }[given.outcome as string] ?? null,
    })
    .execute()
}

/** Counts of attempts that began this many minutes ago, by half hour. */
function halfHours(delivered: readonly number[], failed: readonly number[]) {
  const begun = halfHoursUntil(now)
  const countsOf = (attempts: readonly number[]) =>
    begun.map(
      (from) =>
        attempts.filter((minutes) => {
          const ms = Date.parse(minutesAgo(minutes)) - +from
          return ms >= 0 && ms < 1_800_000
        }).length,
    )
  return { from: begun[0]!.toISOString(), delivered: countsOf(delivered), failed: countsOf(failed) }
}

const list = async (query = '') => administration.asOperator('GET', `/callback-performance${query}`)

describe('GET /callback-performance', () => {
  test('200: attempts, successes and latency of each origin of a consumer in the period', async () => {
    const { consumerId, userName, owes } = await consumerWithCallbacks(db)
    const earlier = await owes('DELIVERED', { createdAt: minutesAgo(70) })
    await attempt(earlier, 1, { outcome: 'delivered', durationMs: 99, minutes: 50 })
    await attempt(earlier, 2, { outcome: 'delivered', durationMs: 99, minutes: 23 * 60 })
    await attempt(earlier, 3, { outcome: 'delivered', durationMs: 99, minutes: 25 * 60 })
    const other = await consumerWithCallbacks(db)
    const theirs = await other.owes('DELIVERED', { createdAt: minutesAgo(70), origin: origins[0] })
    await attempt(theirs, 1, { outcome: 'delivered', durationMs: 99, minutes: 50 })
    const well = { createdAt: minutesAgo(50), origin: origins[0] }
    for (const durationMs of [10, 20, 30]) {
      const delivered = await owes('DELIVERED', well)
      await attempt(delivered, 1, { outcome: 'delivered', durationMs, minutes: 40 })
    }
    const ill = { createdAt: minutesAgo(50), origin: origins[1] }
    const due = await owes('DUE', ill)
    await attempt(due, 1, { outcome: 'refused', durationMs: 40, minutes: 45 })
    await attempt(due, 2, { outcome: 'timeout', durationMs: 10_000, minutes: 40 })
    await attempt(due, 3, { outcome: 'connection_refused', durationMs: 1, minutes: 35 })
    await owes('window-ended', ill)
    await db
      .insertInto('callback_origin')
      .values({ origin: origins[1], breaker: 'open', breaker_until: now })
      .execute()

    const { status, body } = await list(`?minutes=60&consumerId=${consumerId}`)

    expect([status, body]).toEqual([
      200,
      {
        from: expect.stringMatching(/Z$/),
        consumers: [
          {
            consumerId,
            userName,
            name: expect.any(String),
            from: body.from,
            isPart: false,
            origins: [
              {
                origin: origins[0],
                breaker: 'closed',
                attempts: 3,
                successes: 3,
                p50Ms: 20,
                p95Ms: 30,
                open: 0,
                delivered: 3,
                dead: 0,
                halfHours: halfHours([50, 40, 40, 40, 23 * 60], []),
              },
              {
                origin: origins[1],
                breaker: 'open',
                attempts: 3,
                successes: 0,
                p50Ms: 40,
                p95Ms: 10_000,
                open: 1,
                delivered: 0,
                dead: 1,
                halfHours: halfHours([], [45, 40, 35]),
              },
            ],
          },
        ],
      },
    ])
  })

  test('200: lists consumers by user name, page by page, without those that had no callback', async () => {
    const consumers = [await consumerWithCallbacks(db), await consumerWithCallbacks(db)]
    for (const { owes } of consumers) await owes('DUE', { createdAt: minutesAgo(5) })
    expect((await list('?minutes=10&limit=20')).body.consumers).toHaveLength(2)
    const silent = await consumerWithCallbacks(db)
    await silent.owes('DUE', { createdAt: minutesAgo(15) })

    const found: string[] = []
    let cursor: string | undefined
    do {
      const next = cursor === undefined ? '' : `&cursor=${cursor}`
      const { body } = await list(`?minutes=10&limit=1${next}`)
      found.push(...body.consumers.map(({ userName }: { userName: string }) => userName))
      cursor = body.nextCursor
    } while (cursor !== undefined)

    expect(found).toEqual(consumers.map(({ userName }) => userName).toSorted())
  })

  test('reads a limited number of callbacks of a consumer, and returns the start of its range', async () => {
    const { consumerId, owes } = await consumerWithCallbacks(db)
    for (const minutes of [30, 20, 10]) await owes('DELIVERED', { createdAt: minutesAgo(minutes) })

    const search = { from: new Date(minutesAgo(60)), consumerId, consumersMax: 1 }
    const [part] = await readPerformance(db, search, 2)

    expect(part).toMatchObject({
      from: new Date(minutesAgo(20)),
      isPart: true,
      origins: [{ delivered: 2, p50Ms: null, p95Ms: null }],
    })
  })

  test('200: lists nothing for an unknown consumer', async () => {
    expect((await list(`?consumerId=${randomUUID()}`)).body.consumers).toEqual([])
  })
})
