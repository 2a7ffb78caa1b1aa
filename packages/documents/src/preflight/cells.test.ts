import { expect, test } from 'vitest'
import { cellsTouching, regionOutside, spansOf } from './cells.ts'

const grid = { columns: 10, rows: 20, cellWidth: 2, cellHeight: 2 }

test.for([
  ['on the borders of cells', box(2, 4, 6, 8), { left: 1, right: 4, top: 2, bottom: 6 }],
  ['between them', box(3, 5, 6, 8), { left: 1, right: 5, top: 2, bottom: 7 }],
  ['beyond the page', box(-5, -5, 100, 100), { left: 0, right: 10, top: 0, bottom: 20 }],
] as const)('finds the cells that a rectangle touches: %s', ([, rectangle, cells]) => {
  expect(cellsTouching(grid, rectangle)).toEqual(cells)
})

test('skips only cells that lie wholly within the largest area', () => {
  const region = regionOutside(grid, [box(0, 0, 4, 4), box(3, 5, 12, 30)])

  expect(region).toEqual({
    cells: { left: 0, right: 10, top: 0, bottom: 20 },
    hole: { left: 2, right: 7, top: 3, bottom: 17 },
  })
  expect([2, 3, 16, 17].map((row) => spansOf(row, region))).toEqual([
    [[0, 10]],
    [
      [0, 2],
      [7, 10],
    ],
    [
      [0, 2],
      [7, 10],
    ],
    [[0, 10]],
  ])
})

test.for([
  ['no area', []],
  ['an area smaller than a cell', [box(3, 3, 1, 1)]],
  ['an area beside the page', [box(50, 3, 10, 10)]],
] as const)('skips no cell for %s', ([, areas]) => {
  const region = regionOutside(grid, areas)

  expect(spansOf(1, region)).toEqual([[0, 10]])
})

function box(x: number, y: number, width: number, height: number) {
  return { x, y, width, height }
}
