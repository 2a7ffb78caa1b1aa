import { expect, test } from 'vitest'
import { randomDraw } from './random-draw.ts'

test('gives as many bytes as were asked for, and none a second time, over several draws', () => {
  const take = randomDraw(12)

  const taken = Array.from({ length: 1_000 }, () => take().toString('hex'))

  expect(taken.filter((hex) => !/^[0-9a-f]{24}$/.test(hex))).toEqual([])
  expect(new Set(taken).size).toBe(1_000)
})

test('of two who draw, neither gives what the other gave', () => {
  const [one, other] = [randomDraw(16), randomDraw(16)]

  expect(one().equals(other())).toBe(false)
})
