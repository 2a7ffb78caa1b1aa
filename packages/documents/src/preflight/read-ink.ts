import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { Picture } from '../render/render-page.ts'
import { cellsTouching, type Grid, type Region, regionOutside, spansOf } from './cells.ts'
import { type Ink, inkBelow } from './ink.ts'

/** The four bytes of a pixel as one number. The highest, the last byte, is ignored. */
const white = -1
const withoutMeaning = 0xff << 24

/**
 * Returns the ink of a page of `size` millimetres. With `places`, returns only ink that `findInkOutside` their areas
 * and `findInkWithin` their strips can find.
 */
export function inkOf(
  { width, height, pixels }: Picture,
  size: { width: number; height: number },
  places?: { areas: readonly Rectangle[]; strips: readonly Rectangle[] },
): Ink {
  const grid = {
    columns: width,
    rows: height,
    cellWidth: size.width / width,
    cellHeight: size.height / height,
  }
  const isInk = new Uint8Array(width * height)
  const colours = new Int32Array(pixels.buffer, pixels.byteOffset, isInk.length)
  for (const region of regionsOf(grid, places)) {
    for (let row = region.cells.top; row < region.cells.bottom; row++) {
      for (const [first, end] of spansOf(row, region)) {
        for (let index = row * width + first; index < row * width + end; index++) {
          // Fast path: most of a page is white.
          if ((colours[index]! | withoutMeaning) === white) continue
          if (isPrinted(pixels, index * 4)) isInk[index] = 1
        }
      }
    }
  }
  return { ...grid, isInk }
}

function regionsOf(
  grid: Grid,
  { areas, strips }: { areas: readonly Rectangle[]; strips: readonly Rectangle[] } = {
    areas: [],
    strips: [],
  },
): Region[] {
  const ofStrips = strips.map((strip) => ({ cells: cellsTouching(grid, strip) }))
  return [regionOutside(grid, areas), ...ofStrips]
}

function isPrinted(pixels: Uint8Array, at: number): boolean {
  return pixels[at]! < inkBelow || pixels[at + 1]! < inkBelow || pixels[at + 2]! < inkBelow
}
