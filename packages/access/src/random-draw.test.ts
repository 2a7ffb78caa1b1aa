import { expect, test } from 'vitest'
import { randomDraw } from './random-draw.ts'

test('returns as many bytes as requested, and never the same bytes twice', () => {
  const take = randomDraw(12)

  const taken = Array.from({ length: 1_000 }, () => take().toString('hex'))

  expect(taken.filter((hex) => !/^[0-9a-f]{24}$/.test(hex))).toEqual([])
  expect(new Set(taken).size).toBe(1_000)
})

test('two draws return different bytes', () => {
  const [one, other] = [randomDraw(16), randomDraw(16)]

  expect(one().equals(other())).toBe(false)
})
