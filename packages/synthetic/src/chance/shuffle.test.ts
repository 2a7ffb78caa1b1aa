import { expect, test } from 'vitest'
import { createShuffle } from './shuffle.ts'

test.for([1, 2, 3, 10, 64, 1000, 65_537])('%j places have each number once', (size) => {
  const shuffle = createShuffle(size, 42)

  const numbers = Array.from({ length: size }, (_, place) => shuffle(place))

  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, place) => place))
})

test('numbers beyond 31 bits stay in the set', () => {
  const size = 2 ** 32
  const shuffle = createShuffle(size, 1)

  const numbers = [0, 1, 2 ** 31, size - 1].map(shuffle)

  expect(new Set(numbers).size).toBe(4)
  expect(numbers.every((number) => number >= 0 && number < size)).toBe(true)
})

test('the order is the same for a key, and another for another', () => {
  const order = (key: number) =>
    Array.from({ length: 50 }, (_, place) => createShuffle(50, key)(place))

  expect(order(3)).toEqual(order(3))
  expect(order(3)).not.toEqual(order(4))
  expect(order(3)).not.toEqual(order(3).toSorted((a, b) => a - b))
})

test.for([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])('refuses a size of %j', (size) => {
  expect(() => createShuffle(size, 1)).toThrow('size of a shuffle')
})
