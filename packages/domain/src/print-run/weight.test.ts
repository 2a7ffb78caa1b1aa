import { expect, test } from 'vitest'
import { letterSheetsMax } from './mail-format.ts'
import {
  estimateWeightGrams,
  type Materials,
  sheetsMaxOfEnvelopes,
  weightBandIndexOf,
  weightBandOf,
} from './weight.ts'

test.each([
  [1, 11.49],
  [2, 16.48],
  [5, 31.45],
  [18, 96.31],
  [50, 255.98],
])(
  '%d sheets weigh %d g before the site is known, or at a site without materials',
  (sheets, grams) => {
    expect(estimateWeightGrams(sheets)).toBe(grams)
    expect(estimateWeightGrams(sheets, { stationery: 'A4-PLAIN', materials: null })).toBe(grams)
    expect(estimateWeightGrams(sheets, { stationery: 'A4-PLAIN', materials: {} })).toBe(grams)
  },
)

const papers = [
  { stationery: 'A4-PLAIN', gramsPerSquareMetre: 90 },
  { stationery: 'A4-CARD', gramsPerSquareMetre: 160 },
]
const envelopes = [
  { name: 'C5', grams: 4, sheetsMax: 5 },
  { name: 'C4', grams: 14, sheetsMax: 50 },
  { name: 'C4 with a gusset', grams: 25.5, sheetsMax: 150 },
]

const weights: [sheets: number, stationery: string, materials: Materials, grams: number][] = [
  [1, 'A4-PLAIN', { envelopes: [{ name: 'None', grams: 0, sheetsMax: 1 }] }, 4.99],
  [1, 'A4-PLAIN', { papers }, 12.11],
  [1, 'A4-CARD', { papers }, 16.48],
  // a paper whose weight is not reported
  [1, 'A4-CREST', { papers }, 11.49],
  // the last sheet that fits each envelope, and the first that needs the next
  [5, 'A4-PLAIN', { papers, envelopes }, 32.07],
  [6, 'A4-PLAIN', { papers, envelopes }, 47.68],
  [50, 'A4-PLAIN', { papers, envelopes }, 294.67],
  [51, 'A4-PLAIN', { papers, envelopes }, 311.78],
  [150, 'A4-PLAIN', { papers, envelopes }, 867.5],
  // gathered before the site reported smaller envelopes
  [151, 'A4-PLAIN', { papers, envelopes }, 873.11],
]

test.each(weights)('%d sheets of %s with %j: %d g', (sheets, stationery, materials, grams) => {
  expect(estimateWeightGrams(sheets, { stationery, materials })).toBe(grams)
})

test('a site without envelopes takes any number of sheets, another site those of its largest envelope', () => {
  expect(sheetsMaxOfEnvelopes(undefined)).toBe(Number.POSITIVE_INFINITY)
  expect(sheetsMaxOfEnvelopes({ papers })).toBe(Number.POSITIVE_INFINITY)
  expect(sheetsMaxOfEnvelopes({ envelopes: [] })).toBe(Number.POSITIVE_INFINITY)
  expect(sheetsMaxOfEnvelopes({ envelopes })).toBe(150)
})

const rows: [grams: number, band: number | undefined, index: number][] = [
  [0.1, 100, 0],
  [100, 100, 0],
  [100.01, 250, 1],
  [250, 250, 1],
  [250.01, 500, 2],
  [500, 500, 2],
  [500.01, 750, 3],
  [750, 750, 3],
  [750.01, undefined, 4],
]

test.each(rows)('%d g are in the band up to %s g, the band %d', (grams, band, index) => {
  expect(weightBandOf(grams)).toBe(band)

  // a letter of one sheet that weighs as much
  const materials = { envelopes: [{ name: 'Weighed', grams: grams - 4.9896, sheetsMax: 1 }] }
  const printedOn = { stationery: 'A4-PLAIN', materials }
  expect(estimateWeightGrams(1, printedOn)).toBe(grams)
  expect(weightBandIndexOf(1, printedOn)).toBe(index)
})

test.each([
  [18, 0],
  [19, 1],
  [48, 1],
  [49, 2],
  [98, 2],
  [99, 3],
  [149, 3],
  [150, 4],
])('%d sheets by the defaults are in the band %d', (sheets, index) => {
  expect(weightBandIndexOf(sheets, { stationery: 'A4-PLAIN', materials: null })).toBe(index)
})

test('without materials every letter is in the lightest band', () => {
  expect(weightBandOf(estimateWeightGrams(letterSheetsMax))).toBe(100)
})
