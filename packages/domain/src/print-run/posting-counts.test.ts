import { expect, test } from 'vitest'
import {
  type CoveredCount,
  differingCount,
  type PostingCount,
  weighCounts,
} from './posting-counts.ts'

const printedOn = { stationery: 'A4-PLAIN', materials: null }
/** 2 and 3 sheets weigh below 100 g, 30 between 100 and 250 g, 200 more than the last band. */
const covered: CoveredCount[] = [
  { despatchMethod: 'FIRST', format: 'LETTER', sheets: 2, documentCount: 10, ...printedOn },
  { despatchMethod: 'FIRST', format: 'LETTER', sheets: 3, documentCount: 5, ...printedOn },
  { despatchMethod: 'FIRST', format: 'LARGE_LETTER', sheets: 30, documentCount: 2, ...printedOn },
  {
    despatchMethod: 'ECONOMY',
    format: 'LARGE_LETTER',
    sheets: 200,
    documentCount: 1,
    ...printedOn,
  },
]
const first = { despatchMethod: 'FIRST', format: 'LETTER' } as const
const firstLarge = { despatchMethod: 'FIRST', format: 'LARGE_LETTER' } as const
const economyLarge = { despatchMethod: 'ECONOMY', format: 'LARGE_LETTER' } as const

const cases: [
  name: string,
  counts: PostingCount[],
  difference: ReturnType<typeof differingCount>,
][] = [
  ['no counts', [], undefined],
  [
    'of every weight',
    [
      { ...first, documentCount: 15 },
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    undefined,
  ],
  [
    'by weight band, where there is one',
    [
      { ...first, weightBandGrams: 100, documentCount: 15 },
      { ...firstLarge, weightBandGrams: 250, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    undefined,
  ],
  [
    'of a class that the posting has none of',
    [
      { ...first, documentCount: 15 },
      { ...economyLarge, documentCount: 1 },
      { despatchMethod: 'ECONOMY', format: 'LETTER', weightBandGrams: 100, documentCount: 2 },
    ],
    {
      count: {
        despatchMethod: 'ECONOMY',
        format: 'LETTER',
        weightBandGrams: 100,
        documentCount: 2,
      },
      covered: 0,
    },
  ],
  [
    'one too few',
    [
      { ...first, documentCount: 14 },
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    { count: { ...first, documentCount: 14 }, covered: 15 },
  ],
  [
    'in another band than we estimate',
    [
      { ...first, documentCount: 15 },
      { ...firstLarge, weightBandGrams: 500, documentCount: 2 },
      { ...economyLarge, weightBandGrams: 750, documentCount: 1 },
    ],
    undefined,
  ],
  [
    'in several bands, beside one of every weight',
    [
      { ...first, documentCount: 15 },
      { ...first, weightBandGrams: 100, documentCount: 9 },
      { ...first, weightBandGrams: 250, documentCount: 6 },
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    undefined,
  ],
  [
    'whose bands add up to too few',
    [
      { ...first, weightBandGrams: 100, documentCount: 9 },
      { ...first, weightBandGrams: 250, documentCount: 5 },
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    { count: { ...first, documentCount: 14 }, covered: 15 },
  ],
  [
    'of a class that is not covered',
    [
      { ...first, documentCount: 15 },
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
      { despatchMethod: 'SPECIAL', format: 'LETTER', documentCount: 1 },
    ],
    { count: { despatchMethod: 'SPECIAL', format: 'LETTER', documentCount: 1 }, covered: 0 },
  ],
  [
    'one class forgotten',
    [
      { ...first, documentCount: 15 },
      { ...economyLarge, documentCount: 1 },
    ],
    { count: { ...firstLarge, documentCount: 0 }, covered: 2 },
  ],
  [
    'a class of several numbers of sheets forgotten',
    [
      { ...firstLarge, documentCount: 2 },
      { ...economyLarge, documentCount: 1 },
    ],
    { count: { ...first, documentCount: 0 }, covered: 15 },
  ],
]

test.for(cases)('counts: %s', ([, counts, difference]) => {
  expect(differingCount(counts, covered)).toEqual(difference)
})

test('the count of a weight band is shown with our estimate of the documents in the band', () => {
  const counts: PostingCount[] = [
    { ...first, weightBandGrams: 100, documentCount: 9 },
    { ...first, weightBandGrams: 250, documentCount: 6 },
    { ...firstLarge, weightBandGrams: 250, documentCount: 2 },
    { ...economyLarge, documentCount: 1 },
  ]

  expect(weighCounts(counts, covered)).toEqual([
    { ...counts[0], estimatedCount: 15 },
    { ...counts[1], estimatedCount: 0 },
    { ...counts[2], estimatedCount: 2 },
    counts[3],
  ])
})

test('the weight of a letter depends on its paper', () => {
  const materials = { papers: [{ stationery: 'A4-CARD', gramsPerSquareMetre: 400 }] }
  const ofSheets = { ...first, sheets: 4, documentCount: 1, materials }
  const counts: PostingCount[] = [
    { ...first, weightBandGrams: 100, documentCount: 1 },
    { ...first, weightBandGrams: 250, documentCount: 1 },
  ]

  expect(
    weighCounts(counts, [
      { ...ofSheets, stationery: 'A4-CARD' },
      { ...ofSheets, stationery: 'A4-PLAIN' },
    ]),
  ).toEqual(counts.map((count) => ({ ...count, estimatedCount: 1 })))
})
