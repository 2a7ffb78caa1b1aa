import { aProblem } from '@despatch/testing/a-problem'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { aPrintRequest, type TestCaller } from './a-print-request.ts'
import {
  readCallbacks,
  type SeededCallback,
  seedCallback,
  seedManyCallbacks,
  seedPrintJob,
} from './some-callbacks.ts'

const path = '/print-request/v1/callbacks/replay'

let consumer: TestCaller
let printJobKey: string

const service = await shared(aPrintRequest())
beforeEach(async () => {
  consumer = await service.aCaller()
  printJobKey = await seedPrintJob(service.database, consumer.consumerId, 'job-1')
})

const seed = (detail: Partial<SeededCallback>) =>
  seedCallback(service.database, { consumerId: consumer.consumerId, printJobKey, ...detail })

const replay = (body: unknown, by = consumer) => by.call({ method: 'POST', path, body })

const standing = (by = consumer) => readCallbacks(service.database, by.consumerId)

const statesOf = async () => (await standing()).map(({ state, replays }) => [state, replays])

const conflict = (detail: string) =>
  aProblem(409, {
    status: '409 CONFLICT',
    code: 'ReplayConflict',
    title: 'Callbacks are not sent again',
    detail,
  })

describe('POST /callbacks/replay', () => {
  test('200: a dry run counts dead callbacks and changes nothing', async () => {
    await seed({ createdAt: new Date('2026-03-02T00:00:00Z') })
    await seed({ sequence: 2, createdAt: new Date('2026-03-04T00:00:00Z') })
    await seed({ sequence: 3, state: 'DELIVERED' })
    const before = await standing()

    expect(await replay({ dryRun: true })).toMatchObject({
      status: 200,
      body: {
        dryRun: true,
        count: 2,
        oldest: '2026-03-02T00:00:00.000Z',
        newest: '2026-03-04T00:00:00.000Z',
      },
    })
    expect(await standing()).toEqual(before)
  })

  test('200: a dry run counts zero', async () => {
    const { status, body } = await replay({ dryRun: true })

    expect({ status, body }).toEqual({ status: 200, body: { dryRun: true, count: 0 } })
  })

  test('202: sends as many callbacks again as were counted', async () => {
    await seed({})
    await seed({ sequence: 2 })
    await seed({ sequence: 3, state: 'DELIVERED' })
    const { body } = await replay({ dryRun: true })
    const { count } = body as { count: number }

    expect(await replay({ expectedCount: count })).toMatchObject({
      status: 202,
      body: { dryRun: false, count: 2 },
    })
    expect(await statesOf()).toEqual([
      ['DUE', 1],
      ['DUE', 1],
      ['DELIVERED', 0],
    ])
    expect((await replay({ dryRun: true })).body).toEqual({ dryRun: true, count: 0 })
  })

  test('202: sends none with an expected count of zero', async () => {
    const { status, body } = await replay({ expectedCount: 0 })

    expect({ status, body }).toEqual({ status: 202, body: { dryRun: false, count: 0 } })
  })

  test.each([0, 1, 3])(
    '409: the count is two instead of %i, and none is sent',
    async (expectedCount) => {
      await seed({})
      await seed({ sequence: 2 })
      const before = await standing()

      expect(await replay({ expectedCount })).toMatchObject(
        conflict(`There are 2 such callbacks and not ${expectedCount}: ask with dryRun again`),
      )
      expect(await standing()).toEqual(before)
    },
  )

  test('409: another callback has died since the dry run', async () => {
    await seed({})
    await replay({ dryRun: true })
    await seed({ sequence: 2 })

    expect((await replay({ expectedCount: 1 })).status).toBe(409)
    expect(await statesOf()).toEqual([
      ['DEAD', 0],
      ['DEAD', 0],
    ])
  })

  test.each(byEffort({ landing: [], full: [100_001] }))(
    'counts a selection of %i, and refuses to replay it',
    async (count) => {
      await seedManyCallbacks(service.database, {
        consumerId: consumer.consumerId,
        printJobKey,
        count,
      })

      expect((await replay({ dryRun: true })).body).toMatchObject({ dryRun: true, count })
      expect(await replay({ expectedCount: count })).toMatchObject(
        aProblem(400, { code: 'Max', title: 'expectedCount' }),
      )
      expect(await replay({ expectedCount: 100_000 })).toMatchObject(
        conflict('More than 100000 callbacks are chosen: narrow them by createdFrom and createdTo'),
      )
      const { rows } = await service.database.pool.query(
        'select state, count(*)::integer as count from callback where consumer_id = $1 group by state',
        [consumer.consumerId],
      )
      expect(rows).toEqual([{ state: 'DEAD', count }])
    },
  )

  test.each<[chosen: object, replayed: number[]]>([
    [{}, [1, 2]],
    [{ reason: 'gone' }, [2]],
    [{ status: 'DELIVERED' }, [3]],
    [{ status: 'DELIVERED', reason: 'gone' }, []],
    [{ status: 'DUE' }, [4]],
    [{ jobId: 'job-1' }, [1, 2]],
    [{ jobId: 'job-2' }, []],
    [{ createdFrom: '2026-03-02T00:00:00Z' }, [2]],
    [{ createdTo: '2026-03-02T00:00:00Z' }, [1]],
    [{ createdFrom: '2026-03-03T00:00:00Z', createdTo: '2026-03-01T00:00:00Z' }, []],
  ])('%j selects the same callbacks in a dry run and a replay', async (chosen, replayed) => {
    await seed({ createdAt: new Date('2026-03-01T00:00:00Z') })
    await seed({ sequence: 2, reason: 'gone', createdAt: new Date('2026-03-02T00:00:00Z') })
    await seed({ sequence: 3, state: 'DELIVERED' })
    await seed({ sequence: 4, state: 'DUE' })

    const counted = await replay({ ...chosen, dryRun: true })
    const sent = await replay({ ...chosen, expectedCount: replayed.length })

    expect([counted.status, sent.status]).toEqual([200, 202])
    expect([counted.body, sent.body]).toMatchObject([
      { count: replayed.length },
      { count: replayed.length },
    ])
    const again = (await standing()).flatMap(({ replays }, index) => (replays > 0 ? index + 1 : []))
    expect(again).toEqual(replayed)
  })

  test('callbacks of other consumers are neither counted nor sent, with any filter', async () => {
    await seed({})
    const before = await standing()
    const stranger = await service.aCaller()
    const { consumerId } = consumer

    for (const chosen of [{}, { jobId: 'job-1' }, { consumerId }]) {
      expect((await replay({ ...chosen, dryRun: true }, stranger)).body).toEqual({
        dryRun: true,
        count: 0,
      })
      expect((await replay({ ...chosen, expectedCount: 0 }, stranger)).status).toBe(202)
      expect((await replay({ ...chosen, expectedCount: 1 }, stranger)).status).toBe(409)
    }
    expect(await standing()).toEqual(before)
  })

  test.each([{}, { dryRun: false }])('400: %j has no expected count', async (body) => {
    await seed({})

    expect(await replay(body)).toMatchObject(
      aProblem(400, { code: 'NotNull', title: 'expectedCount' }),
    )
    expect(await statesOf()).toEqual([['DEAD', 0]])
  })
})
