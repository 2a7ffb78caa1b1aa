import { expect, test } from 'vitest'
import {
  type LastNumbered,
  numberDocuments,
  sortForPrinting,
  type UnnumberedDocument,
} from './numbering.ts'

const printedOn = { stationery: 'A4-PLAIN', materials: null }
const sheetsOfBands = [5, 6, 19]
const areas = ['AB', 'B', 'M', 'MA', null]

/** In no particular order. */
function someDocuments(count: number): UnnumberedDocument[] {
  return Array.from({ length: count }, (_, index) => ({
    documentId: `D${1_000 + ((index * 7_919) % count)}`,
    sheets: sheetsOfBands[(index * 31) % sheetsOfBands.length]!,
    area: areas[(index * 17) % areas.length]!,
  }))
}

test('sorts by weight band, then postcode area, then document number', () => {
  const documents = [
    { documentId: 'D9', sheets: 19, area: 'AA' },
    { documentId: 'D100', sheets: 6, area: 'M' },
    { documentId: 'D99', sheets: 6, area: 'M' },
    { documentId: 'D8', sheets: 7, area: null },
    { documentId: 'D80', sheets: 7, area: null },
    { documentId: 'D7', sheets: 6, area: 'MA' },
    { documentId: 'D6', sheets: 5, area: 'ZZ' },
  ]
  expect(sortForPrinting(documents, printedOn).map(({ documentId }) => documentId)).toEqual([
    'D6',
    'D99',
    'D100',
    'D7',
    'D8',
    'D80',
    'D9',
  ])
})

test('numbers without a gap, in fulfilment jobs of one band and 2,500 documents at most', () => {
  const sorted = sortForPrinting(someDocuments(12_000), printedOn)

  const numbered = numberDocuments(undefined, sorted, printedOn)

  expect(numbered.map(({ sequence }) => sequence)).toEqual(sorted.map((_, index) => index + 1))
  const jobs = Map.groupBy(numbered, ({ fulfilmentJob }) => fulfilmentJob)
  expect([...jobs.values()].map(({ length }) => length)).toEqual([
    2_500, 1_500, 2_500, 1_500, 2_500, 1_500,
  ])
})

test('a fulfilment job ends where the envelope of the site makes a letter too heavy for its band', () => {
  const documents = [5, 4].map((sheets) => ({ documentId: `D${sheets}`, sheets, area: null }))
  const jobsWith = (grams: number) => {
    const materials = { envelopes: [{ name: 'C5', grams, sheetsMax: 5 }] }
    const on = { ...printedOn, materials }
    const numbered = numberDocuments(undefined, sortForPrinting(documents, on), on)
    return numbered.map(({ documentId, fulfilmentJob }) => `${documentId} in ${fulfilmentJob}`)
  }

  // five sheets weigh 24.948 g
  expect(jobsWith(75.052)).toEqual(['D4 in 1', 'D5 in 1'])
  expect(jobsWith(75.06)).toEqual(['D4 in 1', 'D5 in 2'])
})

test('a letter comes before a large letter, and shares no job with it, even if it is heavier', () => {
  const documents = [6, 5].map((sheets) => ({ documentId: `D${sheets}`, sheets, area: null }))
  const envelopes = [
    { name: 'Box', grams: 700, sheetsMax: 5 },
    { name: 'C4', grams: 1, sheetsMax: 50 },
  ]
  const on = { ...printedOn, materials: { envelopes } }

  expect(numberDocuments(undefined, sortForPrinting(documents, on), on)).toEqual([
    { documentId: 'D5', sequence: 1, fulfilmentJob: 1 },
    { documentId: 'D6', sequence: 2, fulfilmentJob: 2 },
  ])
})

test('numbering page by page equals numbering all documents at once', () => {
  const sorted = sortForPrinting(someDocuments(6_000), printedOn)
  const whole = numberDocuments(undefined, sorted, printedOn)
  for (const size of [1_000, 2_500, 7]) {
    const paged: typeof whole = []
    for (let at = 0; at < sorted.length; at += size) {
      paged.push(...numberDocuments(lastOf(paged, sorted), sorted.slice(at, at + size), printedOn))
    }
    expect(paged).toEqual(whole)
  }
})

function lastOf(
  numbered: ReturnType<typeof numberDocuments>,
  sorted: readonly UnnumberedDocument[],
): LastNumbered | undefined {
  const last = numbered.at(-1)
  if (!last) return undefined
  const { sequence, fulfilmentJob } = last
  const jobDocuments = numbered.filter((each) => each.fulfilmentJob === fulfilmentJob).length
  return { sequence, fulfilmentJob, jobDocuments, sheets: sorted[numbered.length - 1]!.sheets }
}
