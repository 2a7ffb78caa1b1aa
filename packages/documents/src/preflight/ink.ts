import type { Rectangle } from '@despatch/domain/preflight/finding'
import { cellsTouching, type Grid, type Region, regionOutside, spansOf } from './cells.ts'

/** Which cells of a page are printed. Cells count from the top left; their sides are in millimetres. */
export type Ink = Grid & { isInk: Uint8Array }

/** All ink that breaks a rule: its bounding rectangle and the depth of the worst ink, in millimetres. */
export type InkFound = { rectangle: Rectangle; depth: number }

/** From 0 to 255. Any colour channel below it is ink: a 6 % tint, more than JPEG adds to white paper. */
export const inkBelow = 240

/** Finds ink further than `tolerance` from every allowed area, except ink inside one of `except`. */
export function findInkOutside(
  ink: Ink,
  areas: readonly Rectangle[],
  { tolerance, except }: { tolerance: number; except: readonly Rectangle[] },
): InkFound | undefined {
  const depthAt = (x: number, y: number) => {
    let nearest = Number.POSITIVE_INFINITY
    for (const area of areas) {
      const outside = distanceTo(area, x, y)
      if (outside <= tolerance) return 0
      if (outside < nearest) nearest = outside
    }
    return except.some((each) => depthWithin(each, x, y) >= 0) ? 0 : nearest
  }
  return findInk(ink, { tolerance, depthAt, region: regionOutside(ink, areas) })
}

/** Finds ink deeper than `tolerance` in an area that must stay clear. */
export function findInkWithin(
  ink: Ink,
  area: Rectangle,
  { tolerance }: { tolerance: number },
): InkFound | undefined {
  return findInk(ink, {
    tolerance,
    depthAt: (x, y) => depthWithin(area, x, y),
    region: { cells: cellsTouching(ink, area) },
  })
}

/** Returns whether anything is visible in a rectangle or the cells next to it. */
export function hasInkAt(ink: Ink, { x, y, width, height }: Rectangle): boolean {
  const firstColumn = Math.max(0, Math.floor(x / ink.cellWidth) - 1)
  const lastColumn = Math.min(ink.columns - 1, Math.ceil((x + width) / ink.cellWidth))
  const firstRow = Math.max(0, Math.floor(y / ink.cellHeight) - 1)
  const lastRow = Math.min(ink.rows - 1, Math.ceil((y + height) / ink.cellHeight))
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) {
      if (ink.isInk[row * ink.columns + column]) return true
    }
  }
  return false
}

/**
 * The middle of a cell is its position, so an edge is known to half a cell, however it is smoothed. Outside the region
 * no ink can be deeper than the tolerance.
 */
function findInk(
  { columns, rows, cellWidth, cellHeight, isInk }: Ink,
  {
    tolerance,
    depthAt,
    region,
  }: { tolerance: number; depthAt: (x: number, y: number) => number; region: Region },
): InkFound | undefined {
  let depth = 0
  let [left, right, top, bottom] = [columns, -1, rows, -1]
  for (let row = region.cells.top; row < region.cells.bottom; row++) {
    const y = (row + 0.5) * cellHeight
    for (const [first, end] of spansOf(row, region)) {
      for (let column = first; column < end; column++) {
        if (!isInk[row * columns + column]) continue
        const cellDepth = depthAt((column + 0.5) * cellWidth, y)
        if (cellDepth <= tolerance) continue
        if (cellDepth > depth) depth = cellDepth
        if (column < left) left = column
        if (column > right) right = column
        if (row < top) top = row
        if (row > bottom) bottom = row
      }
    }
  }
  if (right < 0) return undefined
  return {
    depth: toTenths(depth),
    rectangle: {
      x: toTenths(left * cellWidth),
      y: toTenths(top * cellHeight),
      width: toTenths((right + 1 - left) * cellWidth),
      height: toTenths((bottom + 1 - top) * cellHeight),
    },
  }
}

/** Returns 0 within the rectangle. */
function distanceTo({ x, y, width, height }: Rectangle, atX: number, atY: number): number {
  return Math.hypot(
    Math.max(0, x - atX, atX - (x + width)),
    Math.max(0, y - atY, atY - (y + height)),
  )
}

/** Returns the distance to the nearest edge, negative outside. */
function depthWithin({ x, y, width, height }: Rectangle, atX: number, atY: number): number {
  return Math.min(atX - x, x + width - atX, atY - y, y + height - atY)
}

export function toTenths(millimetres: number): number {
  return Math.round(millimetres * 10) / 10
}
