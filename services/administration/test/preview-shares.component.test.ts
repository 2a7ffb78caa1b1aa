import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const { db } = administration
const runs = await shared(somePrintRuns(administration.url))

const preview = (sites: unknown) =>
  administration.asOperator('POST', '/print-sites/preview', { sites })

describe('POST /print-sites/preview', () => {
  test('200: returns the documents of an average day, by the present and by the new shares', async () => {
    await runs.aReleasedRun(6)
    const opened = async (batchNumber: string, daysAgo: number) =>
      db
        .updateTable('print_run')
        .set({ opened_at: new Date(Date.now() - daysAgo * 86_400_000) })
        .where('batch_number', '=', batchNumber)
        .execute()
    await opened((await runs.aReleasedRun(4)).batchNumber, 2)
    await opened((await runs.aReleasedRun(3)).batchNumber, 8)
    const second = { enabled: true, share: 0, reprintsFreeMax: 0, reprintsFreePercent: 0 }
    await administration.asAdmin('PUT', '/providers/north/sites/SOUTH', second)
    const capabilities = JSON.stringify({ ...unrestrictedCapabilities, documentsPerDayMax: 50 })
    await db
      .updateTable('print_site')
      .set({ capabilities })
      .where('print_location', '=', 'SOUTH')
      .execute()
    const south = { providerId: 'north', printLocation: 'SOUTH' }
    const north = { providerId: 'north', printLocation: 'NORTH' }

    const moved = await preview([{ ...south, enabled: true, share: 25 }])
    const closed = await preview([{ ...north, enabled: false, share: 100 }])

    const before = { enabled: true, share: 100, documentsPerDay: 5 }
    const nothing = { enabled: true, share: 0, documentsPerDay: 0 }
    const facts = { days: 2, documentsPerDay: 5 }
    expect([moved.status, moved.body]).toEqual([
      200,
      {
        ...facts,
        unroutablePerDay: { before: 0, after: 0 },
        sites: [
          { ...north, before, after: { ...before, documentsPerDay: 4 } },
          {
            ...south,
            documentsPerDayMax: 50,
            before: nothing,
            after: { enabled: true, share: 25, documentsPerDay: 1 },
          },
        ],
      },
    ])
    expect(closed.body).toMatchObject({
      unroutablePerDay: { before: 0, after: 5 },
      sites: [{ after: { enabled: false, documentsPerDay: 0 } }, { after: nothing }],
    })
    const { sites } = (await administration.asOperator('GET', '/providers')).body.providers[0]
    expect(sites).toMatchObject([{ share: 100 }, { share: 0 }])
  })

  test('404: a site is unknown', async () => {
    const site = { providerId: 'north', printLocation: 'ATTIC', enabled: true, share: 1 }

    expect(await preview([site])).toMatchObject(aProblem(404, { code: 'PrintSiteNotFound' }))
  })
})
