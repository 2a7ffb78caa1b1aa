import { expect, test } from 'vitest'
import { letterSheetsMax } from './mail-format.ts'
import { estimateWeightGrams, sheetsMaxOfBands, weightBandOf, weightBandsGrams } from './weight.ts'

test.each([
  [1, undefined, 11.49],
  [2, undefined, 16.48],
  [5, undefined, 31.45],
  [18, undefined, 96.31],
  [50, undefined, 255.98],
  [1, { envelope: 0 }, 4.99],
  [1, { gramsPerSquareMetre: 100 }, 12.74],
  [3, { gramsPerSquareMetre: 90, envelope: 4 }, 20.84],
])('%d sheets, %j: %d g', (sheets, paper, grams) => {
  expect(estimateWeightGrams(sheets, paper)).toBe(grams)
})

const rows: [grams: number, band: number | undefined][] = [
  [0.1, 100],
  [100, 100],
  [100.01, 250],
  [250, 250],
  [500, 500],
  [750, 750],
  [750.01, undefined],
]

test.each(rows)('%d g are in the band up to %s g', (grams, band) => {
  expect(weightBandOf(grams)).toBe(band)
})

test('the most sheets of each band weigh no more than its end, and one more weighs more', () => {
  expect(sheetsMaxOfBands()).toEqual([18, 48, 98, 149])
  for (const [index, sheets] of sheetsMaxOfBands().entries()) {
    expect(weightBandOf(estimateWeightGrams(sheets))).toBe(weightBandsGrams[index])
    expect(weightBandOf(estimateWeightGrams(sheets + 1))).toBe(weightBandsGrams[index + 1])
  }
})

test('every letter is in the lightest band, so that bands only part large letters', () => {
  expect(weightBandOf(estimateWeightGrams(letterSheetsMax))).toBe(100)
})
