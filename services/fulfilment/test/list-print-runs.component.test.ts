import { gatherPrintJobs, lockPrintSite } from '@despatch/store/print-runs-gather'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFulfilment, type Fulfilment } from './a-fulfilment.ts'

let fulfilment: Fulfilment
beforeAll(async () => {
  fulfilment = await aFulfilment()
})
afterAll(() => fulfilment.close())

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('200', () => {
  test('lists a released run with its stream and totals, second class by its own name', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({ sheets: 2 }, { sheets: 3 })

    const { status, body } = await fulfilment.call('GET', '/print-runs?state=RELEASED')

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        printRuns: [
          {
            batchNumber,
            state: 'RELEASED',
            printLocation: 'NORTH',
            despatchMethod: 'SECOND',
            stationery: 'A4-PLAIN',
            plex: 'duplex',
            colour: true,
            manifestVersion: 1,
            documentCount: 2,
            sheetCount: 5,
            pageCount: 10,
            byteCount: 200,
            releasedAt: expect.stringMatching(isoTime),
          },
        ],
      },
    })
    expect(batchNumber).toMatch(/^R\d{6}$/)
  })

  test('a deleted print job leaves the totals and raises the version; an empty run is not listed', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({ sheets: 2 }, { sheets: 3 })
    const listed = async () => {
      const { body } = await fulfilment.call('GET', '/print-runs?state=RELEASED')
      return body.printRuns.filter(
        (run: { batchNumber: string }) => run.batchNumber === batchNumber,
      )
    }

    expect(await fulfilment.deleteJob(printJobs[0]!.id)).toBe('deleted')
    expect(await listed()).toMatchObject([
      { manifestVersion: 2, documentCount: 1, sheetCount: 3, pageCount: 6, byteCount: 100 },
    ])

    expect(await fulfilment.deleteJob(printJobs[1]!.id)).toBe('deleted')
    expect(await listed()).toEqual([])
  })

  test('gives page after page without gap or repeat, oldest first, by the filters', async () => {
    const batchNumbers: string[] = []
    for (let count = 0; count < 3; count++) {
      const { batchNumber } = await fulfilment.aReleasedRun({ despatchMethod: 'FIRST' })
      batchNumbers.push(batchNumber)
    }
    const path = '/print-runs?despatchMethod=FIRST&printLocation=NORTH&limit=2'

    const first = await fulfilment.call('GET', path)
    const second = await fulfilment.call('GET', `${path}&cursor=${first.body.nextCursor}`)

    const pages = [first, second].map(({ body }) =>
      body.printRuns.map((run: { batchNumber: string }) => run.batchNumber),
    )
    expect(pages).toEqual([batchNumbers.slice(0, 2), batchNumbers.slice(2)])
    expect(second.body.nextCursor).toBeUndefined()
    expect((await fulfilment.call('GET', '/print-runs?printLocation=SOUTH')).body).toEqual({
      printRuns: [],
    })
  })

  test('a run whose lease ran out before the acknowledgement is offered again', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({ despatchMethod: 'SPECIAL' })
    const states = async () => {
      const { body } = await fulfilment.call('GET', '/print-runs?despatchMethod=SPECIAL')
      return body.printRuns.map((run: { state: string }) => run.state)
    }

    expect(await states()).toEqual(['CLAIMED'])
    await fulfilment.database.pool.query(
      `update print_run set lease_until = now() - interval '1 second' where batch_number = $1`,
      [batchNumber],
    )
    expect(await states()).toEqual(['RELEASED'])
  })

  test('shows nothing of another provider, and no run that still collects', async () => {
    await fulfilment.addPending({ despatchMethod: 'ECONOMY' })
    const { db } = fulfilment.database
    await db.transaction().execute(async (tx) => {
      const site = await lockPrintSite(tx)
      await gatherPrintJobs(tx, site!, { jobsMax: 10, documentsMax: 10 })
    })

    expect((await fulfilment.call('GET', '/print-runs', { provider: 'south' })).body).toEqual({
      printRuns: [],
    })
    expect((await fulfilment.call('GET', '/print-runs?despatchMethod=ECONOMY')).body).toEqual({
      printRuns: [],
    })
  })
})

const refusals: [query: string, field: string, code: string][] = [
  ['state=OPEN', 'state', 'InvalidFormat'],
  ['limit=0', 'limit', 'Pattern'],
  ['limit=101', 'limit', 'Pattern'],
  ['despatchMethod=PIGEON', 'despatchMethod', 'InvalidFormat'],
]

describe('400', () => {
  test.for(refusals)('%s', async ([query, title, code]) => {
    const { status, body } = await fulfilment.call('GET', `/print-runs?${query}`)

    expect({ status, body }).toEqual({
      status: 400,
      body: {
        errors: [
          {
            status: '400 BAD_REQUEST',
            code,
            title,
            detail: expect.stringContaining(`${title} must`),
          },
        ],
      },
    })
  })
})

describe('401 and 403', () => {
  test('a caller without credentials', async () => {
    const { status, body } = await fulfilment.call('GET', '/print-runs', { provider: '' })

    expect({ status, code: body.errors[0].code }).toEqual({ status: 401, code: 'Unauthorized' })
  })

  test('a caller who is of no provider', async () => {
    const { status } = await fulfilment.call('GET', '/print-runs', { provider: 'nobody' })

    expect(status).toBe(403)
  })
})
