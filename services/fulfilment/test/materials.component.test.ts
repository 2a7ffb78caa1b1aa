import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import type { Materials } from '@despatch/domain/print-run/weight'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const papers = [{ stationery: 'A4-PLAIN', gramsPerSquareMetre: 100 }]
const light: Materials = {
  papers,
  envelopes: [
    { name: 'C5', grams: 6, sheetsMax: 2 },
    { name: 'C5 with a gusset', grams: 8.5, sheetsMax: 5 },
  ],
}
const heavy: Materials = { papers, envelopes: [{ name: 'Box', grams: 250, sheetsMax: 5 }] }

const report = (materials?: Materials) =>
  fulfilment.call('PUT', '/capabilities/NORTH', {
    body: { ...unrestrictedCapabilities, ...(materials && { materials }) },
  })
const bandsOfWork = async () => {
  const { body } = await fulfilment.call('GET', '/work-summary')
  return body.streams.map(({ weightBands }: { weightBands: unknown }) => weightBands)
}
const weightsOf = (documents: { sheets: number; weightGrams: number; weightBandGrams: number }[]) =>
  documents.map(({ sheets, weightGrams, weightBandGrams }) => [
    sheets,
    weightGrams,
    weightBandGrams,
  ])

test('the weight of a letter depends on the materials of its site at the release of the run', async () => {
  await report(heavy)
  const printJobs = await fulfilment.addPending({ sheets: 2 }, { sheets: 3 }, { sheets: 3 })
  await gatherAndRelease(fulfilment.database.db, {
    runAgeMs: 3_600_000,
    documentsMax: 100,
    jobsMax: 100,
  })
  expect(await bandsOfWork()).toEqual([[{ gramsMax: 500, documentCount: 3, sheetCount: 8 }]])

  await report(light)
  const weightBands = [{ gramsMax: 100, documentCount: 3, sheetCount: 8 }]
  expect(await bandsOfWork()).toEqual([weightBands])

  const [batchNumber] = await fulfilment.releaseRuns()
  await report(heavy)
  expect(await bandsOfWork()).toEqual([weightBands])

  await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: 'claim' })
  const { body: manifest } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
  // the last sheets of the smaller envelope, and the first of the larger
  expect(weightsOf(manifest.documents).toSorted(([one], [other]) => one! - other!)).toEqual([
    [2, 18.47, 100],
    [3, 27.21, 100],
    [3, 27.21, 100],
  ])

  const { documentCount, sheetCount } = manifest.totals
  const acknowledgement = { documentCount, sheetCount, manifestDigest: manifest.manifestDigest }
  await fulfilment.acknowledge({ batchNumber: batchNumber!, acknowledgement })
  const of = { despatchMethod: 'SECOND', format: 'LETTER' }
  const { body: posting } = await fulfilment.post({
    batchNumber,
    counts: [
      { ...of, weightBandGrams: 100, documentCount: 2 },
      { ...of, weightBandGrams: 500, documentCount: 1 },
    ],
  })
  expect(posting.counts).toEqual([
    { ...of, weightBandGrams: 100, documentCount: 2, estimatedCount: 3 },
    { ...of, weightBandGrams: 500, documentCount: 1, estimatedCount: 0 },
  ])

  await fulfilment.confirm(posting.postingId)
  const printJob = await fulfilment.findJob(printJobs[0]!.id)
  expect(printJob?.despatchProperties).toContainEqual({
    key: 'weightGrams',
    value: '18.47',
  })
})

test('a fulfilment job ends where the letters of its site exceed the weight band', async () => {
  await report({
    envelopes: [
      { name: 'C5', grams: 6, sheetsMax: 2 },
      { name: 'Box', grams: 250, sheetsMax: 5 },
    ],
  })
  const { manifest } = await fulfilment.aClaimedRun({ sheets: 3 }, { sheets: 2 })

  expect(weightsOf(manifest.documents)).toEqual([
    [2, 15.98, 100],
    [3, 264.97, 500],
  ])
  expect(manifest.fulfilmentJobs).toHaveLength(2)
})

test('a letter that no envelope holds waits until a site reports a larger envelope', async () => {
  await report(light)
  await fulfilment.addPending({ sheets: 5 }, { sheets: 6 })
  expect(await fulfilment.releaseRuns()).toHaveLength(1)
  expect(
    await fulfilment.rows('select document_sheets from print_job where batch_number is null'),
  ).toEqual([{ document_sheets: 6 }])

  await report()
  await fulfilment.rows('update print_job set route_after = null')
  expect(await fulfilment.releaseRuns()).toHaveLength(1)
})
