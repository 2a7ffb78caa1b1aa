import { expect, test } from 'vitest'
import { drawnRange, isZoomed, wholeRange } from './plot-range.ts'

const positions = { lines: [1_000, 1_060, 1_120], bars: [0, 1, 2], stack: [0, 1] } as const

test.each(['lines', 'bars', 'stack'] as const)(
  '%s that nobody has zoomed show everything',
  (kind) => {
    const x = positions[kind]
    const [min, max] = wholeRange(kind, x[0], x.at(-1)!)

    expect(isZoomed(kind, { min, max }, x)).toBe(false)
    expect(isZoomed(kind, { min: min + 1, max }, x)).toBe(true)
    expect(isZoomed(kind, { min, max: max - 1 }, x)).toBe(true)
    expect(isZoomed(kind, { min, max }, [])).toBe(false)
    expect(isZoomed(kind, { min: null, max: null }, x)).toBe(false)
    expect(isZoomed(kind, {}, x)).toBe(false)
  },
)

test('bars have room at both ends', () => {
  expect(wholeRange('bars', 0, 2)).toEqual([-0.5, 2.5])
})

test('a single bar is in the middle, whatever range is suggested for it', () => {
  expect(drawnRange('bars', [0, 100], [3])).toEqual([2.5, 3.5])
  expect(drawnRange('bars', [1, 2], [0, 1, 2, 3])).toEqual([0.5, 2.5])
  expect(drawnRange('lines', [1_000, 1_060], [1_030])).toEqual([1_000, 1_060])
})
