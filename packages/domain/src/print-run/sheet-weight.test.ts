import { expect, test } from 'vitest'
import { estimateWeightGrams } from './sheet-weight.ts'

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
