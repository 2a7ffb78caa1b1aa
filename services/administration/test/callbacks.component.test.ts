import { randomUUID } from 'node:crypto'
import { purgedBody } from '@despatch/store/purge/purged-body'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { consumerWithCallbacks, callbackOrigins as origins } from './a-consumer-with-callbacks.ts'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const { asOperator: as } = administration
const aConsumerWithCallbacks = () => consumerWithCallbacks(administration.db)

async function idsOf(query: string): Promise<string[]> {
  const { body } = await as('GET', `/callbacks?${query}`)
  return body.callbacks.map(({ callbackId }: { callbackId: string }) => callbackId)
}

async function stateOf(id: string) {
  return administration.db
    .selectFrom('callback')
    .select(['state', 'replays', 'end_reason as reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

describe('GET /callbacks', () => {
  test('200: lists the callbacks of all consumers, newest first, page by page', async () => {
    const [first, second] = [await aConsumerWithCallbacks(), await aConsumerWithCallbacks()]
    const older = await first.owes('DELIVERED')
    const newer = await second.owes('refused', { origin: origins[1] })

    const page = await as('GET', '/callbacks?limit=1')
    const next = await as('GET', `/callbacks?limit=1&cursor=${page.body.nextCursor}`)

    expect(page.status).toBe(200)
    expect(page.body.callbacks).toEqual([
      {
        callbackId: newer,
        jobId: second.jobId,
        sequence: 1,
        kind: 'status',
        jobStatus: 'REJECTED',
        status: 'DEAD',
        reason: 'refused',
        origin: origins[1],
        attempts: 0,
        replays: 0,
        createdAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:00.000Z',
        consumerId: second.consumerId,
        userName: second.userName,
      },
    ])
    expect(next.body.callbacks).toMatchObject([
      { callbackId: older, consumerId: first.consumerId, status: 'DELIVERED' },
    ])
  })

  test('200: filters by consumer, origin, status, reason, print job and time', async () => {
    const { consumerId, jobId, owes } = await aConsumerWithCallbacks()
    const other = await aConsumerWithCallbacks()
    await other.owes('DUE')
    const due = await owes('DUE', { createdAt: '2026-02-01T00:00:00.000Z' })
    const gone = await owes('gone', { createdAt: '2026-02-02T00:00:00.000Z' })
    const ended = await owes('window-ended', {
      createdAt: '2026-02-03T00:00:00.000Z',
      origin: origins[1],
    })
    const of = `consumerId=${consumerId}`

    for (const [query, ids] of [
      [of, [ended, gone, due]],
      [`${of}&origin=https://B.example:443`, [ended]],
      [`${of}&status=OPEN`, [due]],
      [`${of}&status=DEAD&reason=gone`, [gone]],
      [`jobId=${jobId}`, [ended, gone, due]],
      [`${of}&createdFrom=2026-02-02T00:00:00Z`, [ended, gone]],
      [`${of}&createdTo=2026-02-02T00:00:00Z`, [due]],
    ] as const) {
      expect([query, await idsOf(query)]).toEqual([query, ids])
    }
  })
})

test('GET /callbacks/{callbackId}: 200, returns every attempt, without the message', async () => {
  const { consumerId, userName, jobId, owes } = await aConsumerWithCallbacks()
  const id = await owes('refused')
  const attempt = { callback_id: id, planned_at: new Date(0), duration_ms: 12 }
  await administration.db
    .insertInto('callback_attempt')
    .values([
      {
        ...attempt,
        number: 1,
        started_at: new Date(1_000),
        outcome: 'timeout',
        failure: 'HeadersTimeoutError',
        next_at: new Date(2_000),
      },
      {
        ...attempt,
        number: 2,
        started_at: new Date(2_000),
        outcome: 'refused',
        http_status: 422,
        address: '192.0.2.1',
        answer: Buffer.from('no such letter'),
      },
    ])
    .execute()

  const { status, body } = await as('GET', `/callbacks/${id}`)

  expect(status).toBe(200)
  expect(body).toMatchObject({ callbackId: id, consumerId, userName, jobId, reason: 'refused' })
  expect(body.log).toMatchObject([
    {
      number: 1,
      plannedAt: '1970-01-01T00:00:00.000Z',
      startedAt: '1970-01-01T00:00:01.000Z',
      durationMs: 12,
      detail: expect.stringContaining('did not answer in time (HeadersTimeoutError)'),
      failure: 'HeadersTimeoutError',
      nextAttemptAt: '1970-01-01T00:00:02.000Z',
    },
    { number: 2, httpStatus: 422, address: '192.0.2.1', answer: 'no such letter' },
  ])
  expect(body).not.toHaveProperty('message')
  expect(JSON.stringify(body)).not.toContain('SECRET')
})

describe('POST /callbacks/{callbackId}/replay', () => {
  test('202: a dead callback is due again under the same id, and the audit log names the operator', async () => {
    const { consumerId, owes } = await aConsumerWithCallbacks()
    const id = await owes('window-ended')

    const { status, body } = await as('POST', `/callbacks/${id}/replay`)

    expect(status).toBe(202)
    expect(body).toMatchObject({ callbackId: id, status: 'DUE', replays: 1 })
    expect(body).not.toHaveProperty('reason')
    expect(body).not.toHaveProperty('message')
    expect(await stateOf(id)).toEqual({ state: 'DUE', replays: 1, reason: null })
    const actor = administration.actorOf('operator')
    expect(await administration.audited(`about=${id}`)).toEqual([
      { action: 'callback.replayed', actor, consumerId, detail: { callbackId: id } },
    ])
  })

  test('409: the message was purged, and nothing is audited', async () => {
    const { owes } = await aConsumerWithCallbacks()
    const id = await owes('window-ended')
    const { db } = administration
    await db.updateTable('callback').set({ body: purgedBody }).where('id', '=', id).execute()

    const answer = await as('POST', `/callbacks/${id}/replay`)

    expect(answer).toMatchObject(aProblem(409, { code: 'ReplayConflict' }))
    expect(await administration.audited(`about=${id}`)).toEqual([])
  })
})

describe('POST /callbacks/replay', () => {
  const replay = (body: object) => as('POST', '/callbacks/replay', body)

  test('200, then 202: a dry run counts the callbacks, and a replay with that count sends them', async () => {
    const { consumerId, owes } = await aConsumerWithCallbacks()
    const oldest = await owes('gone', { createdAt: '2026-03-01T00:00:00.000Z' })
    const newest = await owes('refused', { createdAt: '2026-03-02T00:00:00.000Z' })
    const elsewhere = await owes('refused', { origin: origins[1] })
    const delivered = await owes('DELIVERED')
    const chosen = { consumerId, origin: origins[0], createdFrom: '2026-02-01T00:00:00Z' }

    const counted = await replay({ ...chosen, dryRun: true })
    const untouched = await stateOf(oldest)
    const replayed = await replay({ ...chosen, expectedCount: 2 })

    const [first, last] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z']
    const count = { dryRun: true, count: 2, oldest: first, newest: last }
    expect([counted.status, counted.body]).toEqual([200, count])
    expect(untouched).toEqual({ state: 'DEAD', replays: 0, reason: 'gone' })
    expect([replayed.status, replayed.body]).toMatchObject([202, { dryRun: false, count: 2 }])
    for (const id of [oldest, newest]) {
      expect(await stateOf(id)).toEqual({ state: 'DUE', replays: 1, reason: null })
    }
    expect(await stateOf(elsewhere)).toMatchObject({ state: 'DEAD', replays: 0 })
    expect(await stateOf(delivered)).toMatchObject({ state: 'DELIVERED', replays: 0 })
    const createdFrom = '2026-02-01T00:00:00.000Z'
    expect(await administration.audited(`consumerId=${consumerId}`)).toMatchObject([
      {
        action: 'callbacks.replayed',
        actor: administration.actorOf('operator'),
        detail: { origin: origins[0], status: 'DEAD', createdFrom, count: 2 },
      },
    ])
  })

  test('202: replays callbacks of a status and a reason, over all consumers', async () => {
    const [first, second] = [await aConsumerWithCallbacks(), await aConsumerWithCallbacks()]
    const origin = `https://${randomUUID()}.example`
    const one = await first.owes('retries-off', { origin })
    const other = await second.owes('retries-off', { origin })
    const refused = await first.owes('refused', { origin })

    const replayed = await replay({ origin, reason: 'retries-off', expectedCount: 2 })

    expect(replayed).toMatchObject({ status: 202, body: { count: 2 } })
    const states = await Promise.all([one, other, refused].map(stateOf))
    expect(states.map(({ state }) => state)).toEqual(['DUE', 'DUE', 'DEAD'])
  })

  test('409: the count has changed; 400: it is missing; nothing is sent', async () => {
    const { consumerId, owes } = await aConsumerWithCallbacks()
    const id = await owes('refused')
    const detail = 'expectedCount must be the count of a dry run; ask with dryRun first'

    expect(await replay({ consumerId, expectedCount: 2 })).toMatchObject(
      aProblem(409, { code: 'ReplayConflict' }),
    )
    expect(await replay({ consumerId })).toMatchObject(aProblem(400, { detail }))
    expect(await stateOf(id)).toMatchObject({ state: 'DEAD', replays: 0 })
  })
})

test('GET /callback-origins: 200, lists due, dead and failing callbacks of each origin, by name, in pages', async () => {
  const { owes } = await aConsumerWithCallbacks()
  const before = `https://${randomUUID()}`
  const [amiss, busy] = [`${before}-0.example`, `${before}-1.example`]
  await owes('DUE', { origin: busy, createdAt: '2026-01-02T00:00:00.000Z' })
  await owes('DUE', { origin: busy, createdAt: '2026-01-01T00:00:00.000Z' })
  await owes('refused', { origin: busy })
  await owes('DUE', { origin: amiss })
  const until = new Date(Date.now() + 30_000)
  await administration.db
    .insertInto('callback_origin')
    .values({
      origin: amiss,
      breaker: 'open',
      breaker_until: until,
      failures_in_row: 10,
      last_failure_at: new Date(1_000),
      last_outcome: 'timeout',
    })
    .execute()

  const pageAfter = (origin: string) =>
    as('GET', `/callback-origins?limit=1&cursor=${encodeURIComponent(origin)}`)
  const page = await pageAfter(before)
  const next = await pageAfter(page.body.nextCursor)

  expect([page.status, page.body.origins]).toEqual([
    200,
    [
      {
        origin: amiss,
        breaker: 'open',
        breakerUntil: until.toISOString(),
        failuresInRow: 10,
        lastFailureAt: '1970-01-01T00:00:01.000Z',
        lastOutcome: 'timeout',
        due: 1,
        oldestDueAt: '2026-01-01T00:00:00.000Z',
        dead: 0,
      },
    ],
  ])
  expect(next.body.origins).toEqual([
    {
      origin: busy,
      breaker: 'closed',
      failuresInRow: 0,
      due: 2,
      oldestDueAt: '2026-01-01T00:00:00.000Z',
      dead: 1,
    },
  ])
})
