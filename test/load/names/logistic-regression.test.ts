import { expect, test } from 'vitest'
import { fitWeights, scoreOf } from './logistic-regression.ts'

const few = [
  ...Array.from({ length: 30 }, () => ({ row: [1, 0, 5], isSame: false })),
  ...Array.from({ length: 10 }, () => ({ row: [1, 0, 5], isSame: true })),
  ...Array.from({ length: 10 }, () => ({ row: [1, 1, 5], isSame: false })),
  ...Array.from({ length: 30 }, () => ({ row: [1, 1, 5], isSame: true })),
]

test('the score is the logarithm of the odds', () => {
  const weights = fitWeights(few, 1e-6)
  expect(scoreOf([1, 0, 5], weights)).toBeCloseTo(Math.log(10 / 30), 3)
  expect(scoreOf([1, 1, 5], weights)).toBeCloseTo(Math.log(30 / 10), 3)
})

test('a penalty makes weights smaller, but not that of the constant', () => {
  const [, free = 0] = fitWeights(few, 1e-6)
  const [, held = 0] = fitWeights(few, 20)
  expect(held).toBeGreaterThan(0)
  expect(held).toBeLessThan(free)
})

test('the same examples give the same weights', () => {
  expect(fitWeights(few)).toEqual(fitWeights(few))
})
