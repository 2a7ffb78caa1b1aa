import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { aPrintRequest, type TestCaller } from './a-print-request.ts'
import { readCallbacks, type SeededCallback, seedCallback, seedPrintJob } from './some-callbacks.ts'

let consumer: TestCaller
let printJobKey: string

const service = await shared(aPrintRequest())
beforeEach(async () => {
  consumer = await service.aCaller()
  printJobKey = await seedPrintJob(service.database, consumer.consumerId, 'job-1')
})

const seed = (detail: Partial<SeededCallback>) =>
  seedCallback(service.database, { consumerId: consumer.consumerId, printJobKey, ...detail })

const replay = (id: string, by = consumer) =>
  by.call({ method: 'POST', path: `/print-request/v1/callbacks/${id}/replay` })

const standing = () => readCallbacks(service.database, consumer.consumerId)

describe('POST /callbacks/{callbackId}/replay', () => {
  test.each<[Partial<SeededCallback>]>([
    [{ state: 'DEAD', reason: 'window-ended', attempts: 4 }],
    [{ state: 'DEAD', reason: 'refused', attempts: 1 }],
    [{ state: 'DELIVERED', attempts: 2 }],
    [{ state: 'DUE', attempts: 3 }],
  ])('202: sends %j again at once, under the same id, with a new window', async (detail) => {
    const id = await seed({ ...detail, windowEndsAt: new Date('2026-03-04T08:06:07Z') })

    const { status, body } = await replay(id)

    expect({ status, body }).toEqual({
      status: 202,
      body: {
        callbackId: id,
        jobId: 'job-1',
        sequence: 1,
        kind: 'status',
        jobStatus: 'DESPATCHED',
        status: 'DUE',
        origin: 'https://consumer.example',
        attempts: detail.attempts,
        replays: 1,
        createdAt: '2026-03-04T05:06:07.000Z',
        nextAttemptAt: expect.any(String),
        message: { id, data: { sequence: 1 } },
        log: [],
      },
    })
    const { nextAttemptAt } = body as { nextAttemptAt: string }
    expect(Date.parse(nextAttemptAt)).toBeLessThanOrEqual(Date.now() + 1000)
    expect(await standing()).toMatchObject([{ id, state: 'DUE', attempts_before: detail.attempts }])
  })

  test('202: does not change a callback that is being sent', async () => {
    const id = await seed({ state: 'DUE', attempts: 1 })
    await sql`
      insert into callback_batch (id, origin, subjects, versions, calls_max, leased_until)
      select gen_random_uuid(), origin, array[id], array[attempt_epoch], 1, now() + interval '1 minute'
      from callback where id = ${id}`.execute(service.database.db)
    const before = await standing()

    expect(await replay(id)).toMatchObject({ status: 202, body: { status: 'DUE', replays: 0 } })
    expect(await standing()).toEqual(before)
  })

  test('202: sends again to a consumer that answered 410 Gone', async () => {
    const { db } = service.database
    await db
      .updateTable('print_job')
      .set({ callback_gone_at: new Date() })
      .where('key', '=', printJobKey)
      .execute()
    const id = await seed({ state: 'DEAD', reason: 'gone' })

    expect((await replay(id)).status).toBe(202)
    const { callback_gone_at } = await db
      .selectFrom('print_job')
      .select('callback_gone_at')
      .where('key', '=', printJobKey)
      .executeTakeFirstOrThrow()
    expect(callback_gone_at).toBeNull()
  })

  test('404: the callback of another consumer stays unchanged', async () => {
    const id = await seed({ state: 'DEAD' })
    const before = await standing()

    expect(await replay(id, await service.aCaller())).toMatchObject(
      aProblem(404, { code: 'CallbackNotFound' }),
    )
    expect(await standing()).toEqual(before)
  })
})
