import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, readDestination } from '@despatch/domain/callback/destination'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aPrintRequest, secretKey, type TestCaller } from './a-print-request.ts'
import { createdAt, origin, type SeededCallback, seedCallback } from './some-callbacks.ts'

const path = '/print-request/v1/callbacks'
const service = await shared(aPrintRequest())
const { db } = service.database

type Listed = { callbackId: string; jobId: string; replays: number; status: string }
type Page = { callbacks: Listed[]; nextCursor?: string }

async function list(by: TestCaller, query = ''): Promise<Page> {
  const { status, body } = await by.call({ path: `${path}${query}` })
  expect(status).toBe(200)
  return body as Page
}

const idsOf = ({ callbacks }: Page) => callbacks.map(({ callbackId }) => callbackId)
const read = (id: string, by: TestCaller) => by.call({ path: `${path}/${id}` })
const replay = (id: string, by: TestCaller) =>
  by.call({ method: 'POST', path: `${path}/${id}/replay` })
const replayMany = (body: unknown, by: TestCaller) =>
  by.call({ method: 'POST', path: `${path}/replay`, body })

/** Returns a consumer with a print job `job-1`, and a function that adds callbacks to it. */
async function aConsumerWithPrintJob() {
  const consumer = await service.aCaller()
  const { key } = await service.aPrintJob(consumer, { id: 'job-1' })
  const seed = (given: Partial<SeededCallback> = {}) =>
    seedCallback(service.database, {
      consumer_id: consumer.consumerId,
      print_job_key: key,
      ...given,
    })
  return { consumer, seed }
}

/** Names of callbacks, oldest first, and what they are. */
const some: Record<string, Partial<SeededCallback>> = {
  due: { state: 'DUE', created_at: new Date('2026-03-01T00:00:00Z') },
  gone: { end_reason: 'gone', created_at: new Date('2026-03-02T00:00:00Z') },
  ended: { created_at: new Date('2026-03-03T00:00:00Z') },
  delivered: { state: 'DELIVERED', created_at: new Date('2026-03-04T00:00:00Z') },
}

async function aConsumerWithSome() {
  const { consumer, seed } = await aConsumerWithPrintJob()
  const { key } = await service.aPrintJob(consumer, { id: 'job-2' })
  const names = new Map<string, string>()
  for (const [index, [name, given]] of Object.entries(some).entries()) {
    const of = name === 'delivered' ? { print_job_key: key } : {}
    names.set(await seed({ sequence: index + 1, ...given, ...of }), name)
  }
  const namesOf = ({ callbacks }: Page, of: (callback: Listed) => boolean = () => true) =>
    callbacks.filter(of).map(({ callbackId }) => names.get(callbackId))
  return { consumer, namesOf }
}

const withSome = await aConsumerWithSome()

describe('GET /callbacks', () => {
  test('200: lists each of the callbacks of the caller once, newest first, page by page', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    const other = await aConsumerWithPrintJob()
    const seeded = [await seed(), await seed({ sequence: 2 }), await seed({ sequence: 3 })]
    const others = await other.seed()

    const first = await list(consumer, '?limit=2')
    // a callback that becomes owed meanwhile appears on the first page
    await seed({ sequence: 4 })
    const second = await list(consumer, `?limit=2&cursor=${first.nextCursor}`)

    expect([...idsOf(first), ...idsOf(second)]).toEqual(seeded.toReversed())
    expect(second).not.toHaveProperty('nextCursor')
    const full = await list(other.consumer, '?limit=1&jobId=job-1')
    expect(idsOf(full)).toEqual([others])
    const after = await list(other.consumer, `?limit=1&cursor=${full.nextCursor}`)
    expect(after).toEqual({ callbacks: [] })
    expect(await list(consumer, `?cursor=${'9'.repeat(18)}&jobId=%25`)).toEqual({ callbacks: [] })
  })

  test.each([
    ['?status=DEAD', ['ended', 'gone']],
    ['?reason=gone', ['gone']],
    ['?jobId=job-1', ['ended', 'gone', 'due']],
    ['?createdFrom=2026-03-02T00:00:00Z', ['delivered', 'ended', 'gone']],
    ['?createdFrom=2026-03-03T01:00:00%2B01:00', ['delivered', 'ended']],
    ['?createdTo=2026-03-02T00:00:00Z', ['due']],
    ['?createdFrom=0000-01-01T00:00:00Z&jobId=job-2', ['delivered']],
    ['?createdTo=9999-12-31T23:59:59-23:59&jobId=job-2', ['delivered']],
    ['?createdFrom=2026-03-04T00:00:00Z&createdTo=2026-03-01T00:00:00Z', []],
    ['?jobId=job-1&status=DEAD&createdTo=2026-03-03T00:00:00Z', ['gone']],
  ])('200: %s', async (query, names) => {
    const { consumer, namesOf } = withSome
    expect(namesOf(await list(consumer, query))).toEqual(names)
  })

  test.each(['statuss', 'jobId[]', 'consumerId'])('400: %s is no filter', async (name) => {
    expect(await withSome.consumer.call({ path: `${path}?${name}=DUE` })).toMatchObject(
      aProblem(400, { code: 'Unknown', title: name }),
    )
  })
})

describe('GET /callbacks/{callbackId}', () => {
  test('200: returns the message and the attempts', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    const id = await seed()
    const at = new Date(createdAt)
    const attempt = { callback_id: id, planned_at: at, started_at: at, duration_ms: 31 }
    await db
      .insertInto('callback_attempt')
      .values({ ...attempt, number: 1, outcome: 'refused', http_status: 400 })
      .execute()

    expect((await read(id, consumer)).body).toMatchObject({
      callbackId: id,
      jobId: 'job-1',
      origin,
      message: { id, data: { sequence: 1 } },
      log: [{ number: 1, durationMs: 31, outcome: 'refused', httpStatus: 400 }],
    })
  })
})

test('404: a callback of another consumer can be neither read nor replayed', async () => {
  const { consumer, seed } = await aConsumerWithPrintJob()
  const id = await seed()
  const stranger = await service.aCaller()
  const detail = `There is no callback with the id ${id}`
  const absent = aProblem(404, { status: '404 NOT_FOUND', code: 'CallbackNotFound', detail })

  expect(await read(id, stranger)).toMatchObject(absent)
  expect(await replay(id, stranger)).toMatchObject(absent)
  expect((await list(consumer)).callbacks).toMatchObject([{ status: 'DEAD', replays: 0 }])
})

describe('POST /callbacks/{callbackId}/replay', () => {
  test('202: sends a dead callback again at once, under the same id', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    const id = await seed({ attempts: 4, window_ends_at: new Date('2026-03-04T08:06:07Z') })

    const { status, body } = await replay(id, consumer)

    expect({ status, body }).toEqual({
      status: 202,
      body: {
        callbackId: id,
        jobId: 'job-1',
        sequence: 1,
        kind: 'status',
        jobStatus: 'DESPATCHED',
        status: 'DUE',
        origin,
        attempts: 4,
        replays: 1,
        createdAt,
        nextAttemptAt: expect.any(String),
        message: { id, data: { sequence: 1 } },
        log: [],
      },
    })
    const { nextAttemptAt } = body as { nextAttemptAt: string }
    expect(Date.parse(nextAttemptAt)).toBeLessThanOrEqual(Date.now() + 1000)
  })
})

describe('POST /callbacks/replay', () => {
  const conflict = (detail: string) =>
    aProblem(409, { code: 'ReplayConflict', title: 'Callbacks are not sent again', detail })

  test.each<[chosen: object, replayed: string[]]>([
    [{}, ['ended', 'gone']],
    [{ reason: 'gone' }, ['gone']],
    [{ status: 'DUE' }, ['due']],
    [{ jobId: 'job-2' }, []],
    [{ createdFrom: '2026-03-03T00:00:00Z' }, ['ended']],
    [{ createdTo: '2026-03-03T00:00:00Z' }, ['gone']],
  ])('%j selects the same callbacks in a dry run and a replay', async (chosen, replayed) => {
    const { consumer, namesOf } = await aConsumerWithSome()
    const count = replayed.length

    const counted = await replayMany({ ...chosen, dryRun: true }, consumer)
    const differs = await replayMany({ ...chosen, expectedCount: count + 1 }, consumer)
    const before = await list(consumer)
    const sent = await replayMany({ ...chosen, expectedCount: count }, consumer)

    expect(counted).toMatchObject({ status: 200, body: { dryRun: true, count } })
    const detail = `There are ${count} such callbacks and not ${count + 1}: ask with dryRun again`
    expect(differs).toMatchObject(conflict(detail))
    expect(namesOf(before, ({ replays }) => replays > 0)).toEqual([])
    expect(sent).toMatchObject({ status: 202, body: { dryRun: false, count } })
    expect(namesOf(await list(consumer), ({ replays }) => replays > 0)).toEqual(replayed)
  })

  test('callbacks of other consumers are neither counted nor sent, with any filter', async () => {
    const { consumer } = await aConsumerWithSome()
    const before = await list(consumer)
    const stranger = await service.aCaller()
    const { consumerId } = consumer

    for (const chosen of [{}, { jobId: 'job-1' }, { consumerId }]) {
      const counted = await replayMany({ ...chosen, dryRun: true }, stranger)
      expect(counted.body).toEqual({ dryRun: true, count: 0 })
      expect((await replayMany({ ...chosen, expectedCount: 1 }, stranger)).status).toBe(409)
    }
    expect(await list(consumer)).toEqual(before)
  })

  test('400: a replay has no expected count, and sends nothing', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    await seed()

    expect(await replayMany({ dryRun: false }, consumer)).toMatchObject(
      aProblem(400, { code: 'NotNull', title: 'expectedCount' }),
    )
    expect((await list(consumer)).callbacks).toMatchObject([{ status: 'DEAD', replays: 0 }])
  })
})

describe('POST /callbacks/test', () => {
  const target = 'https://consumer.example/status?token=a.b'
  const send = (callbackParams: unknown, by: TestCaller) =>
    by.call({ method: 'POST', path: `${path}/test`, body: { callbackParams } })

  test('202: sends a test message to the sealed target, with its credentials and retries', async () => {
    const consumer = await service.aCaller()
    const destination = { target, authenticationHeader: 'Bearer abc' }
    const retryParams = { enabled: true, maxRetryWindow: 60 }

    const { status, body } = await send({ ...destination, retryParams }, consumer)

    const { callbackId } = body as { callbackId: string }
    expect({ status, body }).toEqual({ status: 202, body: { callbackId } })
    const shown = (await read(callbackId, consumer)).body
    expect(shown).toMatchObject({
      kind: 'test',
      status: 'DUE',
      origin,
      message: { type: 'despatch.print.messages.v1.TestMessage', id: callbackId },
    })
    expect(Object.keys(shown)).not.toContain('jobId')
    const kept = await db
      .selectFrom('callback')
      .select(['destination_sealed', 'retry_params'])
      .where('id', '=', callbackId)
      .executeTakeFirstOrThrow()
    const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
    expect(readDestination(box.unseal(kept.destination_sealed!))).toEqual(destination)
    expect(kept.retry_params).toEqual(retryParams)
  })

  test('400: the address is not public, unless it is in an allowed range', async () => {
    const allowing = await aPrintRequest({ DESPATCH_CALLBACK_ALLOW: '10.0.0.0/8' })
    onTestFinished(allowing.close)
    const caller = await allowing.aCaller()

    const inside = await send({ target: 'http://10.1.2.3:8080/' }, caller)
    const outside = await send({ target: 'http://192.168.1.1:8080/' }, caller)

    expect(inside.status).toBe(202)
    expect(outside).toMatchObject(
      aProblem(400, { code: 'InvalidFormat', title: 'callbackParams.target' }),
    )
    const { callbackId } = inside.body as { callbackId: string }
    const { rows } = await allowing.database.pool.query('select id from callback')
    expect(rows).toEqual([{ id: callbackId }])
  })
})
