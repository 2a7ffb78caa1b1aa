import { expect, test } from 'vitest'
import { createRandom, type Random } from './random.ts'

test('the draws of an index depend on seed and index alone', () => {
  const first = createRandom(7)
  const second = createRandom(7)
  firstDraws(second.at(4))
  const here = [firstDraws(first.at(3)), firstDraws(first.at(4))]

  expect([firstDraws(second.at(3)), firstDraws(second.at(4))]).toEqual(here)
})

test('seeds and indexes differ, beyond 32 bits too', () => {
  const places: [seed: number, index: number][] = [
    [1, 0],
    [1, 1],
    [0, 1],
    [2, 0],
    [1, 2 ** 32],
    [2 ** 32 + 1, 0],
    [-1, 0],
  ]

  const draws = places.map(([seed, index]) => firstDraws(createRandom(seed).at(index)).join())

  expect(new Set(draws).size).toBe(places.length)
})

test('the first draws of 10,000 neighbours are spread evenly', () => {
  const randoms = createRandom(1)
  const counts = Array.from({ length: 10 }, () => 0)

  for (let index = 0; index < 10_000; index++) {
    const tenth = randoms.at(index).below(10)
    counts[tenth] = (counts[tenth] ?? 0) + 1
  }

  expect(Math.min(...counts)).toBeGreaterThan(900)
  expect(Math.max(...counts)).toBeLessThan(1100)
})

test('picks from the whole list and nothing else', () => {
  const random = createRandom(5).at(0)

  const picked = new Set(Array.from({ length: 200 }, () => random.pick(['a', 'b', 'c'])))

  expect([...picked].sort()).toEqual(['a', 'b', 'c'])
})

function firstDraws(random: Random): number[] {
  return [random.unit(), random.below(1000), random.unit()]
}
