import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { beforeAll, describe, expect, test } from 'vitest'
import { aPrintRequest, type TestCaller } from './a-print-request.ts'
import { origin, seedCallback, seedPrintJob } from './some-callbacks.ts'

const path = '/print-request/v1/callbacks'

const service = await shared(aPrintRequest())

type Page = { callbacks: { callbackId: string }[]; nextCursor?: string }

async function list(by: TestCaller, query = ''): Promise<Page> {
  const { status, body } = await by.call({ path: `${path}${query}` })
  expect(status).toBe(200)
  return body as Page
}

const idsOf = ({ callbacks }: Page) => callbacks.map(({ callbackId }) => callbackId)

/** Returns a consumer with one print job, and functions that add callbacks to it. */
async function aConsumerWithPrintJob(jobId = 'job-1') {
  const consumer = await service.aCaller()
  const { consumerId } = consumer
  const printJobKey = await seedPrintJob(service.database, consumerId, jobId)
  const seed = (detail: Partial<Parameters<typeof seedCallback>[1]> = {}) =>
    seedCallback(service.database, { consumerId, printJobKey, ...detail })
  return { consumer, seed }
}

describe('GET /callbacks', () => {
  test('200: the list is empty for a consumer without callbacks', async () => {
    expect(await list(await service.aCaller())).toEqual({ callbacks: [] })
  })

  test('200: lists the callbacks of the caller, newest first, with their status', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    const dead = await seed({ reason: 'refused', windowEndsAt: new Date('2026-03-04T08:06:07Z') })
    const due = await seed({ sequence: 2, state: 'DUE' })

    expect(await list(consumer)).toEqual({
      callbacks: [
        {
          callbackId: due,
          jobId: 'job-1',
          sequence: 2,
          kind: 'status',
          jobStatus: 'DESPATCHED',
          status: 'DUE',
          origin,
          attempts: 0,
          replays: 0,
          createdAt: '2026-03-04T05:06:07.000Z',
          nextAttemptAt: expect.stringMatching(/Z$/),
        },
        {
          callbackId: dead,
          jobId: 'job-1',
          sequence: 1,
          kind: 'status',
          jobStatus: 'DESPATCHED',
          status: 'DEAD',
          reason: 'refused',
          origin,
          attempts: 1,
          replays: 0,
          createdAt: '2026-03-04T05:06:07.000Z',
          windowEndsAt: '2026-03-04T08:06:07.000Z',
          endedAt: '2026-03-04T05:06:07.000Z',
        },
      ],
    })
  })

  test('200: omits callbacks of other consumers, also for a print job with the same id', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob('shared-id')
    const own = await seed()
    const { consumer: other, seed: seedOther } = await aConsumerWithPrintJob('shared-id')
    const others = await seedOther()

    expect(idsOf(await list(consumer, '?jobId=shared-id'))).toEqual([own])
    expect(idsOf(await list(other, '?jobId=shared-id'))).toEqual([others])
  })

  test('200: lists each of many callbacks created at the same time once, page by page', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    const seeded: string[] = []
    for (let sequence = 1; sequence <= 7; sequence += 1) seeded.push(await seed({ sequence }))

    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await list(consumer, `?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(idsOf(page))
      cursor = page.nextCursor
      // a callback that becomes owed meanwhile appears on the first page
      await seed({ sequence: 100 + pages.length })
    } while (cursor)

    const newestFirst = seeded.toReversed()
    expect(pages).toEqual([newestFirst.slice(0, 3), newestFirst.slice(3, 6), newestFirst.slice(6)])
  })

  test('200: the page after a full last page is empty', async () => {
    const { consumer, seed } = await aConsumerWithPrintJob()
    await seed()
    const { nextCursor } = await list(consumer, '?limit=1')

    expect(nextCursor).toMatch(/^\d+$/)
    expect(await list(consumer, `?limit=1&cursor=${nextCursor}`)).toEqual({ callbacks: [] })
  })

  describe('filtered by', () => {
    let consumer: TestCaller
    const seeded: Record<string, string> = {}

    beforeAll(async () => {
      const first = await aConsumerWithPrintJob('job-1')
      consumer = first.consumer
      const { consumerId } = consumer
      const printJobKey = await seedPrintJob(service.database, consumerId, 'job-2')
      seeded.due = await first.seed({ state: 'DUE', createdAt: new Date('2026-03-01T00:00:00Z') })
      seeded.gone = await first.seed({
        sequence: 2,
        reason: 'gone',
        createdAt: new Date('2026-03-02T00:00:00Z'),
      })
      seeded.ended = await first.seed({ sequence: 3, createdAt: new Date('2026-03-03T00:00:00Z') })
      seeded.delivered = await seedCallback(service.database, {
        consumerId,
        printJobKey,
        state: 'DELIVERED',
        createdAt: new Date('2026-03-04T00:00:00Z'),
      })
    })

    test.each([
      ['?status=DEAD', ['ended', 'gone']],
      ['?status=WAITING', []],
      ['?reason=gone', ['gone']],
      ['?status=DELIVERED&reason=gone', []],
      ['?jobId=job-1', ['ended', 'gone', 'due']],
      ['?jobId=job-3', []],
      ['?jobId=%25', []],
      ['?createdFrom=2026-03-02T00:00:00Z', ['delivered', 'ended', 'gone']],
      ['?createdFrom=2026-03-03T01:00:00%2B01:00', ['delivered', 'ended']],
      ['?createdTo=2026-03-02T00:00:00Z', ['due']],
      ['?createdFrom=0000-01-01T00:00:00Z&jobId=job-2', ['delivered']],
      ['?createdTo=9999-12-31T23:59:59-23:59&jobId=job-2', ['delivered']],
      ['?createdFrom=2026-03-04T00:00:00Z&createdTo=2026-03-01T00:00:00Z', []],
      ['?jobId=job-1&status=DEAD&createdTo=2026-03-03T00:00:00Z', ['gone']],
    ])('%s', async (query, names) => {
      expect(idsOf(await list(consumer, query))).toEqual(names.map((name) => seeded[name]))
    })
  })

  test.each([
    ['?statuss=DUE', 'Unknown', 'statuss'],
    ['?jobId[]=a', 'Unknown', 'jobId[]'],
    ['?consumerId=another', 'Unknown', 'consumerId'],
  ])('400: %s', async (query, code, title) => {
    const caller = await service.aCaller()

    expect(await caller.call({ path: `${path}${query}` })).toMatchObject(
      aProblem(400, { status: '400 BAD_REQUEST', code, title }),
    )
  })

  test('200: accepts the greatest possible cursor', async () => {
    expect(await list(await service.aCaller(), `?cursor=${'9'.repeat(18)}`)).toEqual({
      callbacks: [],
    })
  })
})
