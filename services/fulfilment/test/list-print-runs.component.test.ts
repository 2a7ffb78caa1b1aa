import { randomUUID } from 'node:crypto'
import type { DespatchMethod } from '@despatch/domain/print-job/params'
import { insertProvider } from '@despatch/store/access/consumers'
import { countQueries } from '@despatch/testing/count-queries'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const isoDay = /^\d{4}-\d\d-\d\d$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

type Run = { batchNumber: string; state: string }

/** Returns the runs that are listed to the provider. */
const list = async (query: string): Promise<Run[]> =>
  (await fulfilment.call('GET', `/print-runs?${query}`)).body.printRuns
const numbersOf = (printRuns: Run[]) => printRuns.map(({ batchNumber }) => batchNumber)

async function someRuns(count: number, despatchMethod: DespatchMethod): Promise<string[]> {
  const batchNumbers: string[] = []
  while (batchNumbers.length < count) {
    batchNumbers.push((await fulfilment.aReleasedRun({ despatchMethod })).batchNumber)
  }
  return batchNumbers
}

describe('200', () => {
  test('lists a released run with its stream and totals, with SECOND for second class', async () => {
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
            format: 'LETTER',
            stationery: 'A4-PLAIN',
            plex: 'duplex',
            colour: true,
            printEpoch: 1,
            expectedDespatchDate: expect.stringMatching(isoDay),
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

  test('a deleted print job lowers the totals and raises the version, and an empty run is not listed', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({ sheets: 2 }, { sheets: 3 })
    const listed = async () =>
      (await list('state=RELEASED')).filter((run) => run.batchNumber === batchNumber)

    expect(await fulfilment.deleteJob(printJobs[0]!.id)).toBe('deleted')
    expect(await listed()).toMatchObject([
      { manifestVersion: 2, documentCount: 1, sheetCount: 3, pageCount: 6, byteCount: 100 },
    ])

    expect(await fulfilment.deleteJob(printJobs[1]!.id)).toBe('deleted')
    expect(await listed()).toEqual([])
  })

  test('lists each run once over pages, oldest first, by the filters', async () => {
    const batchNumbers = await someRuns(3, 'FIRST')
    const path = '/print-runs?despatchMethod=FIRST&printLocation=NORTH&limit=2'

    const first = await fulfilment.call('GET', path)
    const second = await fulfilment.call('GET', `${path}&cursor=${first.body.nextCursor}`)

    expect([first, second].map(({ body }) => numbersOf(body.printRuns))).toEqual([
      batchNumbers.slice(0, 2),
      batchNumbers.slice(2),
    ])
    expect(second.body.nextCursor).toBeUndefined()
    expect(await list('printLocation=SOUTH')).toEqual([])
  })

  test('lists the earliest despatch date first, over all pages', async () => {
    const days = ['2026-12-30', null, '2026-12-28', '2026-12-28']
    const batchNumbers = await someRuns(4, 'INTERNATIONAL_EU')
    for (const [index, day] of days.entries()) {
      await fulfilment.rows(
        'update print_run set expected_despatch_on = $2 where batch_number = $1',
        batchNumbers[index],
        day,
      )
    }
    const path = '/print-runs?despatchMethod=INTERNATIONAL_EU&state=RELEASED&limit=1'

    const listed: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await fulfilment.call('GET', cursor ? `${path}&cursor=${cursor}` : path)
      listed.push(...numbersOf(body.printRuns))
      cursor = body.nextCursor
    } while (cursor)

    const [later, never, sooner, soonerToo] = batchNumbers
    expect(listed).toEqual([sooner, soonerToo, later, never])
  })

  test('lists a reassigned run only on request', async () => {
    const run = await fulfilment.aClaimedRun({ despatchMethod: 'INTERNATIONAL_ROW' })
    await fulfilment.voidRun(run)
    const query = 'despatchMethod=INTERNATIONAL_ROW'

    expect(await list(query)).toEqual([])
    const { batchNumber } = run
    expect(await list(`${query}&state=VOIDED`)).toMatchObject([{ batchNumber, state: 'VOIDED' }])
  })

  test('includes the time of closing', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({ despatchMethod: 'INTERNAL' })
    await fulfilment.rows(
      `update print_run set state = 'CLOSED', closed_at = '2026-12-24T17:00Z' where batch_number = $1`,
      batchNumber,
    )

    const closedAt = '2026-12-24T17:00:00.000Z'
    expect(await list('state=CLOSED')).toMatchObject([{ batchNumber, closedAt }])
  })

  test('records at most every ten seconds that the provider was seen', async () => {
    const askAfter = async (lastSeen: string | null) => {
      const provider = randomUUID()
      await insertProvider(fulfilment.database.db, {
        id: provider,
        name: provider,
        printLocations: ['WEST'],
      })
      // letters of the other tests are not for it
      await fulfilment.rows(
        `update print_site set enabled = false where provider_id = $1`,
        provider,
      )
      await fulfilment.rows(
        'update provider set last_seen_at = now() - $2::interval where id = $1',
        provider,
        lastSeen,
      )
      await fulfilment.call('GET', '/print-runs', { provider })
      const [seen] = await fulfilment.rows(
        'select extract(epoch from now() - last_seen_at)::double precision as seconds from provider where id = $1',
        provider,
      )
      return seen.seconds < 5 ? 'noted' : 'as before'
    }

    expect(await askAfter(null)).toBe('noted')
    expect(await askAfter('7 seconds')).toBe('as before')
    expect(await askAfter('1 minute')).toBe('noted')
  })

  test('reads only the runs if it has just recorded that the provider was seen', async () => {
    const poll = () => fulfilment.call('GET', '/print-runs?state=RELEASED', { provider: 'south' })
    await poll()
    const queries = countQueries()

    await poll()

    expect(queries.count()).toBe(1)
  })

  test('lists a run again as released when its lease expires before the acknowledgement', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({ despatchMethod: 'SPECIAL' })
    const states = async () => (await list('despatchMethod=SPECIAL')).map(({ state }) => state)

    expect(await states()).toEqual(['CLAIMED'])
    await fulfilment.rows(
      `update print_run set lease_until = now() - interval '1 second' where batch_number = $1`,
      batchNumber,
    )
    expect(await states()).toEqual(['RELEASED'])
  })

  test('omits runs that are still open', async () => {
    await fulfilment.addPending({ despatchMethod: 'ECONOMY' })
    const limits = { runAgeMs: 3_600_000, documentsMax: 10, jobsMax: 100 }
    await gatherAndRelease(fulfilment.database.db, limits)

    const found = `select state, provider_id from print_run where despatch_method = 'ECONOMY'`
    expect(await fulfilment.rows(found)).toEqual([{ state: 'OPEN', provider_id: 'north' }])
    expect(await list('despatchMethod=ECONOMY')).toEqual([])
  })
})
