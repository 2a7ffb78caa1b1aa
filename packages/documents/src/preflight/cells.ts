import type { Rectangle } from '@despatch/domain/preflight/finding'

/** Side by side cells of a picture of a page. Those at `right` and `bottom` are not among them any more. */
export type Cells = { left: number; right: number; top: number; bottom: number }

/** Into how many cells a page is divided, and their sides in millimetres. */
export type Grid = { columns: number; rows: number; cellWidth: number; cellHeight: number }

/** Every cell that a rectangle in millimetres touches. */
export function cellsTouching(grid: Grid, { x, y, width, height }: Rectangle): Cells {
  return {
    left: Math.max(0, Math.floor(x / grid.cellWidth)),
    right: Math.min(grid.columns, Math.ceil((x + width) / grid.cellWidth)),
    top: Math.max(0, Math.floor(y / grid.cellHeight)),
    bottom: Math.min(grid.rows, Math.ceil((y + height) / grid.cellHeight)),
  }
}

/** The cells that lie within a rectangle to their last corner. */
export function cellsWithin(grid: Grid, { x, y, width, height }: Rectangle): Cells {
  return {
    left: Math.max(0, Math.ceil(x / grid.cellWidth)),
    right: Math.min(grid.columns, Math.floor((x + width) / grid.cellWidth)),
    top: Math.max(0, Math.ceil(y / grid.cellHeight)),
    bottom: Math.min(grid.rows, Math.floor((y + height) / grid.cellHeight)),
  }
}

/** Cells of a picture, without those of a hole in them. */
export type Region = { cells: Cells; hole?: Cells }

/** Every cell but those that lie within the largest of some areas, where anything may be. */
export function regionOutside(grid: Grid, areas: readonly Rectangle[]): Region {
  const largest = areas.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]
  const hole = largest && cellsWithin(grid, largest)
  const cells = { left: 0, right: grid.columns, top: 0, bottom: grid.rows }
  return hole && hole.left < hole.right ? { cells, hole } : { cells }
}

/** What of a row belongs to a region, from each first column to the one after the last. */
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
