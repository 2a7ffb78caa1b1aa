import { expect, test } from 'vitest'
import { createSettledPositions } from './settled-positions.ts'

test('a position is settled at once while nobody writes callbacks', () => {
  const positions = createSettledPositions()

  expect(positions.note({ drawn: 7, writers: [] })).toBe(7)
})

test('a position is settled once those have ended who were writing after it was drawn', () => {
  const positions = createSettledPositions()

  expect(positions.note({ drawn: 7, writers: ['a', 'b'] })).toBe(0)
  expect(positions.note({ drawn: 8, writers: ['b', 'c'] })).toBe(0)
  expect(positions.note({ drawn: 9, writers: ['c', 'd'] })).toBe(7)
})

test('a constant stream of writers holds up nothing', () => {
  const positions = createSettledPositions()

  const settled = Array.from({ length: 10 }, (_, pass) =>
    positions.note({ drawn: pass, writers: [`${pass}`, `${pass + 1}`] }),
  )

  expect(settled).toEqual([0, 0, 0, 0, 2, 2, 4, 4, 6, 6])
})
