import { expect, test } from 'vitest'
import { renderWorkSummary, type StoredWork } from './work-summary.ts'

const letters = {
  printLocation: 'NORTH',
  stationery: 'A4-PLAIN',
  format: 'LETTER',
  plex: 'duplex',
  colour: true,
  despatchMethod: 'SECOND',
} as const
const at = new Date('2026-12-24T09:00:00Z')

test('adds up the collecting, released and in-hand work of each stream', () => {
  const collecting = {
    batchNumber: 'R1',
    phase: 'collecting',
    cutOffAt: new Date('2026-12-24T17:00:00Z'),
    expectedDespatchDate: '2026-12-29',
  } as const
  const rows: StoredWork[] = [
    { ...letters, ...collecting, weightBand: 0, documentCount: 3, sheetCount: 4 },
    { ...letters, ...collecting, weightBand: 4, documentCount: 1, sheetCount: 200 },
    work('R2', 'released', '2026-12-28', { weightBand: 0, documentCount: 5, sheetCount: 6 }),
    work('R3', 'released', '2026-12-27', { weightBand: 1, documentCount: 7, sheetCount: 140 }),
    work('R4', 'in-hand', '2026-12-24', { weightBand: 0, documentCount: 11, sheetCount: 11 }),
    work('R5', 'in-hand', '2026-12-23', { weightBand: null, documentCount: 0, sheetCount: 0 }),
  ]

  expect(renderWorkSummary({ at, rows })).toEqual({
    at: '2026-12-24T09:00:00.000Z',
    streams: [
      {
        ...letters,
        collecting: {
          documentCount: 4,
          sheetCount: 204,
          cutOffAt: '2026-12-24T17:00:00.000Z',
          expectedDespatchDate: '2026-12-29',
        },
        released: {
          printRunCount: 2,
          documentCount: 12,
          sheetCount: 146,
          earliestExpectedDespatchDate: '2026-12-27',
        },
        inHand: { printRunCount: 2, documentCount: 11, earliestExpectedDespatchDate: '2026-12-23' },
        weightBands: [
          { gramsMax: 100, documentCount: 8, sheetCount: 10 },
          { gramsMax: 250, documentCount: 7, sheetCount: 140 },
          { documentCount: 1, sheetCount: 200 },
        ],
      },
    ],
  })
})

test('a released run whose documents were all withdrawn does not count, and an empty stream has zeros', () => {
  const nothing = { weightBand: null, documentCount: 0, sheetCount: 0 }
  const rows = [work('R2', 'released', '2026-12-28', nothing)]

  expect(renderWorkSummary({ at, rows }).streams).toEqual([
    {
      ...letters,
      collecting: { documentCount: 0, sheetCount: 0 },
      released: { printRunCount: 0, documentCount: 0, sheetCount: 0 },
      inHand: { printRunCount: 0, documentCount: 0 },
      weightBands: [],
    },
  ])
})

test('streams that differ in one property are separate', () => {
  const one = work('R1', 'released', '2026-12-28', {
    weightBand: 0,
    documentCount: 1,
    sheetCount: 1,
  })
  const rows: StoredWork[] = [
    one,
    { ...one, colour: false, documentCount: 2 },
    { ...one, format: 'LARGE_LETTER', documentCount: 3 },
  ]

  const { streams } = renderWorkSummary({ at, rows })

  expect(streams.map(({ released }) => released.documentCount).toSorted()).toEqual([1, 2, 3])
})

function work(
  batchNumber: string,
  phase: 'released' | 'in-hand',
  expectedDespatchDate: string,
  counts: Pick<StoredWork, 'weightBand' | 'documentCount' | 'sheetCount'>,
): StoredWork {
  return { ...letters, batchNumber, phase, cutOffAt: null, expectedDespatchDate, ...counts }
}
