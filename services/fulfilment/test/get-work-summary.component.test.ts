import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const isoDay = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
const stream = {
  printLocation: 'NORTH',
  stationery: 'A4-PLAIN',
  format: 'LETTER',
  plex: 'duplex',
  colour: true,
  despatchMethod: 'SECOND',
}
const large = { ...stream, format: 'LARGE_LETTER' }
const nothing = {
  collecting: { documentCount: 0, sheetCount: 0 },
  released: { printRunCount: 0, documentCount: 0, sheetCount: 0 },
  inHand: { printRunCount: 0, documentCount: 0 },
  weightBands: [],
}

async function streams(): Promise<Record<string, unknown>[]> {
  const { body } = await fulfilment.call('GET', '/work-summary')
  return body.streams
}

test('lists no streams for a provider without work', async () => {
  const { status, body } = await fulfilment.call('GET', '/work-summary', { provider: 'south' })

  expect({ status, body }).toEqual({
    status: 200,
    body: { at: expect.stringMatching(/Z$/), streams: [] },
  })
})

test('follows the documents from gathering to their outcome', async () => {
  await fulfilment.addPending({ sheets: 1 }, { sheets: 3 }, { sheets: 6 }, { sheets: 20 })
  expect(await streams()).toEqual([])

  await gatherAndRelease(fulfilment.database.db, {
    runAgeMs: 3_600_000,
    documentsMax: 100,
    jobsMax: 100,
  })
  const collecting = { cutOffAt: expect.stringMatching(/Z$/), expectedDespatchDate: isoDay }
  const bandsOfLarge = [
    { gramsMax: 100, documentCount: 1, sheetCount: 6 },
    { gramsMax: 250, documentCount: 1, sheetCount: 20 },
  ]
  const bandsOfSmall = [{ gramsMax: 100, documentCount: 2, sheetCount: 4 }]
  const ofLarge = { documentCount: 2, sheetCount: 26, ...collecting }
  const ofSmall = { documentCount: 2, sheetCount: 4, ...collecting }
  expect(await streams()).toEqual([
    { ...large, ...nothing, collecting: ofLarge, weightBands: bandsOfLarge },
    { ...stream, ...nothing, collecting: ofSmall, weightBands: bandsOfSmall },
  ])

  const released = await fulfilment.releaseRuns()
  const due = { printRunCount: 1, documentCount: 2, earliestExpectedDespatchDate: isoDay }
  expect(await streams()).toEqual([
    { ...large, ...nothing, released: { ...due, sheetCount: 26 }, weightBands: bandsOfLarge },
    { ...stream, ...nothing, released: { ...due, sheetCount: 4 }, weightBands: bandsOfSmall },
  ])

  for (const batchNumber of released) {
    await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: batchNumber })
  }
  const inHand = due
  expect(await streams()).toEqual([
    { ...large, ...nothing, inHand },
    { ...stream, ...nothing, inHand },
  ])

  await fulfilment.rows(
    `update print_run_document set outcome = 'FAILED' where sheets in (1, 6, 20)`,
  )
  expect(await streams()).toEqual([
    { ...large, ...nothing, inHand: { ...inHand, documentCount: 0 } },
    { ...stream, ...nothing, inHand: { ...inHand, documentCount: 1 } },
  ])

  await fulfilment.rows(
    `update print_run set state = 'CLOSED', closed_at = now() where batch_number = any ($1)`,
    released,
  )
  expect(await streams()).toEqual([])
})

test('omits withdrawn documents and reassigned runs', async () => {
  const { printJobs } = await fulfilment.aReleasedRun({ sheets: 2 }, { sheets: 3 })
  const moved = await fulfilment.aClaimedRun({ despatchMethod: 'SPECIAL' })
  await fulfilment.deleteJob(printJobs[0]!.id)
  await fulfilment.voidRun(moved)

  const { body } = await fulfilment.call('GET', '/work-summary')

  const [deleted] = printJobs
  expect(JSON.stringify(body)).not.toContain(deleted!.id)
  expect(body.streams).toMatchObject([{ ...stream, released: { documentCount: 1 } }])
})
