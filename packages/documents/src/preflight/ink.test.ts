import type { Rectangle } from '@despatch/domain/preflight/finding'
import { expect, test } from 'vitest'
import { findInkOutside, findInkWithin, hasInkAt, type Ink } from './ink.ts'

const whole = { x: 5, y: 5, width: 200, height: 287 }
const left = { x: 15, y: 5, width: 110, height: 25 }
const right = { x: 125, y: 5, width: 70, height: 90 }
const strip = { x: 15, y: 30, width: 110, height: 10 }

test.for([
  ['nothing', [], [whole], undefined],
  ['ink up to the edge of the area', [box(5, 5, 200, 287)], [whole], undefined],
  ['ink within the tolerance', [box(4.5, 100, 10, 10)], [whole], undefined],
  ['ink beyond the left', [box(3, 100, 10, 10)], [whole], [box(3, 100, 1.5, 10), 1.9]],
  ['ink beyond the right', [box(200, 100, 8, 10)], [whole], [box(205.5, 100, 2.5, 10), 2.9]],
  ['ink beyond the top', [box(50, 0, 10, 10)], [whole], [box(50, 0, 10, 4.5), 4.9]],
  ['ink beyond the bottom', [box(50, 290, 10, 7)], [whole], [box(50, 292.5, 10, 4.5), 4.9]],
  ['a corner by its diagonal', [box(1, 2, 1, 1)], [whole], [box(1, 2, 1, 1), 4.8]],
  [
    'two marks as one rectangle, by the worse of them',
    [box(3, 100, 1, 1), box(208, 200, 1, 1)],
    [whole],
    [box(3, 100, 206, 101), 3.9],
  ],
  ['ink over two areas that touch', [box(100, 10, 50, 10)], [left, right], undefined],
  [
    'ink between areas by the nearest',
    [box(100, 40, 10, 5)],
    [left, right],
    [box(100, 40, 10, 5), 14.9],
  ],
  ['ink in a place with a rule of its own', [box(20, 32, 10, 5)], [left], undefined],
] as const)('finds ink outside the areas: %s', ([, ink, areas, found]) => {
  const expected = found && { rectangle: found[0], depth: found[1] }

  expect(findInkOutside(inkAt(...ink), areas, { tolerance: 0.5, except: [strip] })).toEqual(
    expected,
  )
})

test.for([
  ['nothing', [], undefined],
  ['ink beside it', [box(15, 41, 110, 10)], undefined],
  ['ink that reaches in by the tolerance', [box(20, 39.5, 10, 10)], undefined],
  ['ink that reaches in further', [box(20, 38, 10, 10)], [box(20, 38, 10, 1.5), 1.9]],
  ['ink all over it', [box(0, 0, 210, 297)], [box(15.5, 30.5, 109, 9), 4.9]],
] as const)('finds ink within the strip: %s', ([, ink, found]) => {
  const expected = found && { rectangle: found[0], depth: found[1] }

  expect(findInkWithin(inkAt(...ink), strip, { tolerance: 0.5 })).toEqual(expected)
})

test('finds ink in a rectangle and next to it', () => {
  const ink = inkAt(box(50, 50, 1, 1))

  expect(hasInkAt(ink, box(50.2, 50.2, 0.2, 0.2))).toBe(true)
  expect(hasInkAt(ink, box(51.1, 50, 1, 1))).toBe(true)
  expect(hasInkAt(ink, box(52, 50, 1, 1))).toBe(false)
  expect(hasInkAt(ink, box(-5, -5, 1000, 1000))).toBe(true)
})

function box(x: number, y: number, width: number, height: number): Rectangle {
  return { x, y, width, height }
}

/** An A4 page in cells of a quarter of a millimetre, about the size of a picture's pixels. */
function inkAt(...boxes: readonly Rectangle[]): Ink {
  const cell = 0.25
  const [columns, rows] = [840, 1188]
  const isInk = new Uint8Array(columns * rows)
  for (const { x, y, width, height } of boxes) {
    const [first, last] = [Math.round(x / cell), Math.round((x + width) / cell)]
    for (let row = Math.round(y / cell); row < Math.round((y + height) / cell); row++) {
      isInk.fill(1, row * columns + first, row * columns + last)
    }
  }
  return { columns, rows, cellWidth: cell, cellHeight: cell, isInk }
}
