import { randomUUID } from 'node:crypto'
import { purgedBody } from '@despatch/store/purge/purged-body'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { consumerWithCallbacks, callbackOrigins as origins } from './a-consumer-with-callbacks.ts'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const aConsumerWithCallbacks = () => consumerWithCallbacks(administration.db)

async function idsOf(query: string): Promise<string[]> {
  const { body } = await administration.as('operator', 'GET', `/callbacks?${query}`)
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

    const page = await administration.as('operator', 'GET', '/callbacks?limit=1')
    const next = await administration.as(
      'operator',
      'GET',
      `/callbacks?limit=1&cursor=${page.body.nextCursor}`,
    )

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

    expect(await idsOf(of)).toEqual([ended, gone, due])
    expect(await idsOf(`${of}&origin=${encodeURIComponent(origins[1])}`)).toEqual([ended])
    expect(await idsOf(`${of}&origin=https://B.example:443`)).toEqual([ended])
    expect(await idsOf(`${of}&status=DUE`)).toEqual([due])
    expect(await idsOf(`${of}&status=OPEN`)).toEqual([due])
    expect(await idsOf(`${of}&status=DEAD&reason=gone`)).toEqual([gone])
    expect(await idsOf(`jobId=${jobId}`)).toEqual([ended, gone, due])
    expect(await idsOf(`${of}&createdFrom=2026-02-02T00:00:00Z`)).toEqual([ended, gone])
    expect(await idsOf(`${of}&createdTo=2026-02-02T00:00:00Z`)).toEqual([due])
    expect(await idsOf(`consumerId=${randomUUID()}`)).toEqual([])
  })
})

describe('GET /callbacks/{callbackId}', () => {
  test('200: returns every attempt, without the message', async () => {
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

    const { status, body } = await administration.as('operator', 'GET', `/callbacks/${id}`)

    expect(status).toBe(200)
    expect(body).toMatchObject({ callbackId: id, consumerId, userName, jobId, reason: 'refused' })
    expect(body.log).toEqual([
      {
        number: 1,
        plannedAt: '1970-01-01T00:00:00.000Z',
        startedAt: '1970-01-01T00:00:01.000Z',
        durationMs: 12,
        outcome: 'timeout',
        detail:
          'The receiver did not answer in time (HeadersTimeoutError). The message may have arrived.',
        failure: 'HeadersTimeoutError',
        nextAttemptAt: '1970-01-01T00:00:02.000Z',
      },
      {
        number: 2,
        plannedAt: '1970-01-01T00:00:00.000Z',
        startedAt: '1970-01-01T00:00:02.000Z',
        durationMs: 12,
        outcome: 'refused',
        detail: 'The receiver answered 422, which does not accept the message.',
        httpStatus: 422,
        address: '192.0.2.1',
        answer: 'no such letter',
      },
    ])
    expect(body).not.toHaveProperty('message')
    expect(JSON.stringify(body)).not.toContain('SECRET')
  })
})

describe('POST /callbacks/{callbackId}/replay', () => {
  test('202: a dead callback is due again under the same id, and the audit log names the operator', async () => {
    const { consumerId, owes } = await aConsumerWithCallbacks()
    const id = await owes('window-ended')

    const { status, body } = await administration.as('operator', 'POST', `/callbacks/${id}/replay`)

    expect(status).toBe(202)
    expect(body).toMatchObject({ callbackId: id, status: 'DUE', replays: 1 })
    expect(body).not.toHaveProperty('reason')
    expect(body).not.toHaveProperty('message')
    expect(await stateOf(id)).toEqual({ state: 'DUE', replays: 1, reason: null })
    expect(await lastRecorded()).toMatchObject({
      action: 'callback.replayed',
      actor: `consumer:${administration.ids.operator}`,
      consumerId,
      detail: { callbackId: id },
    })
  })

  test('409: the message was purged, and nothing is audited', async () => {
    const { owes } = await aConsumerWithCallbacks()
    const id = await owes('window-ended')
    await administration.db
      .updateTable('callback')
      .set({ body: purgedBody })
      .where('id', '=', id)
      .execute()
    const before = await lastRecorded()

    const answer = await administration.as('operator', 'POST', `/callbacks/${id}/replay`)

    expect(answer).toMatchObject(aProblem(409, { code: 'ReplayConflict' }))
    expect(await lastRecorded()).toEqual(before)
  })
})

describe('POST /callbacks/replay', () => {
  const replay = (body: object) => administration.as('operator', 'POST', '/callbacks/replay', body)

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

    const count = {
      count: 2,
      oldest: '2026-03-01T00:00:00.000Z',
      newest: '2026-03-02T00:00:00.000Z',
    }
    expect([counted.status, counted.body]).toEqual([200, { dryRun: true, ...count }])
    expect(untouched).toEqual({ state: 'DEAD', replays: 0, reason: 'gone' })
    expect([replayed.status, replayed.body]).toMatchObject([202, { dryRun: false, count: 2 }])
    for (const id of [oldest, newest]) {
      expect(await stateOf(id)).toEqual({ state: 'DUE', replays: 1, reason: null })
    }
    expect(await stateOf(elsewhere)).toMatchObject({ state: 'DEAD', replays: 0 })
    expect(await stateOf(delivered)).toMatchObject({ state: 'DELIVERED', replays: 0 })
    expect(await lastRecorded()).toMatchObject({
      action: 'callbacks.replayed',
      actor: `consumer:${administration.ids.operator}`,
      consumerId,
      detail: {
        origin: origins[0],
        status: 'DEAD',
        createdFrom: '2026-02-01T00:00:00.000Z',
        count: 2,
      },
    })
  })

  test('202: replays callbacks of a status and a reason, over all consumers', async () => {
    const [first, second] = [await aConsumerWithCallbacks(), await aConsumerWithCallbacks()]
    const origin = `https://${randomUUID()}.example`
    const ended = [
      await first.owes('retries-off', { origin }),
      await second.owes('retries-off', { origin }),
    ]
    const refused = await first.owes('refused', { origin })

    const replayed = await replay({ origin, reason: 'retries-off', expectedCount: 2 })

    expect(replayed).toMatchObject({ status: 202, body: { count: 2 } })
    for (const id of ended) expect(await stateOf(id)).toMatchObject({ state: 'DUE' })
    expect(await stateOf(refused)).toMatchObject({ state: 'DEAD' })
  })

  test('202: replays none of an unknown consumer', async () => {
    const answer = await replay({ consumerId: randomUUID(), expectedCount: 0 })

    expect(answer).toMatchObject({ status: 202, body: { count: 0 } })
  })

  test('409: the count has changed, and nothing is sent', async () => {
    const { consumerId, owes } = await aConsumerWithCallbacks()
    const id = await owes('refused')

    const answer = await replay({ consumerId, expectedCount: 2 })

    expect(answer).toMatchObject(aProblem(409, { status: '409 CONFLICT', code: 'ReplayConflict' }))
    expect(await stateOf(id)).toMatchObject({ state: 'DEAD', replays: 0 })
  })

  test('400: the count is missing', async () => {
    expect(await replay({})).toMatchObject(
      aProblem(400, {
        title: 'expectedCount',
        detail: 'expectedCount must be the count of a dry run; ask with dryRun first',
      }),
    )
  })
})

describe('GET /callback-origins', () => {
  test('200: lists due, dead and failing callbacks of each origin, by name, in pages', async () => {
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
      administration.as(
        'operator',
        'GET',
        `/callback-origins?limit=1&cursor=${encodeURIComponent(origin)}`,
      )
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
})

async function lastRecorded() {
  const { body } = await administration.asAdmin('GET', '/audit-events?limit=1')
  return body.auditEvents[0]
}
