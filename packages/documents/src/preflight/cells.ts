import type { Rectangle } from '@despatch/domain/preflight/finding'

/** Adjacent cells of a picture of a page. `right` and `bottom` are exclusive. */
type Cells = { left: number; right: number; top: number; bottom: number }

/** The number of cells of a page, and their sides in millimetres. */
export type Grid = { columns: number; rows: number; cellWidth: number; cellHeight: number }

/** Returns every cell that a rectangle in millimetres touches. */
export function cellsTouching(grid: Grid, { x, y, width, height }: Rectangle): Cells {
  return {
    left: Math.max(0, Math.floor(x / grid.cellWidth)),
    right: Math.min(grid.columns, Math.ceil((x + width) / grid.cellWidth)),
    top: Math.max(0, Math.floor(y / grid.cellHeight)),
    bottom: Math.min(grid.rows, Math.ceil((y + height) / grid.cellHeight)),
  }
}

/** Returns the cells that lie completely within a rectangle. */
function cellsWithin(grid: Grid, { x, y, width, height }: Rectangle): Cells {
  return {
    left: Math.max(0, Math.ceil(x / grid.cellWidth)),
    right: Math.min(grid.columns, Math.floor((x + width) / grid.cellWidth)),
    top: Math.max(0, Math.ceil(y / grid.cellHeight)),
    bottom: Math.min(grid.rows, Math.floor((y + height) / grid.cellHeight)),
  }
}

/** Cells of a picture, except those of a hole in them. */
export type Region = { cells: Cells; hole?: Cells }

/** Returns every cell except those within the largest of the areas, where ink is allowed. */
export function regionOutside(grid: Grid, areas: readonly Rectangle[]): Region {
  const largest = areas.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]
  const hole = largest && cellsWithin(grid, largest)
  const cells = { left: 0, right: grid.columns, top: 0, bottom: grid.rows }
  return hole && hole.left < hole.right ? { cells, hole } : { cells }
}

/** Returns the spans of a row that belong to a region: first column inclusive, end column exclusive. */
export function spansOf(
  row: number,
  { cells: { left, right }, hole }: Region,
): readonly (readonly [first: number, end: number])[] {
  if (!hole || row < hole.top || row >= hole.bottom) return [[left, right]]
  return [
    [left, Math.min(right, hole.left)],
    [Math.max(left, hole.right), right],
  ]
}
