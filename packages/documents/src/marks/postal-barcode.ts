import { createRequire } from 'node:module'
import { rounded } from '../draw-text.ts'

/** The bars of a barcode, in points from its bottom left. */
type PostalBarcode = {
  width: number
  height: number
  bars: readonly { x: number; y: number; width: number; height: number }[]
}

const inch = 72

/**
 * Returns Royal Mail's four-state customer barcode (RM4SCC) of a delivery point: start bar, four bars per character,
 * four for the check character, stop bar. Published size: 20 to 24 bars per 25.4 mm, bars 0.38 to 0.63 mm wide, tracker
 * 1.02 to 1.52 mm, ascender and descender 1.60 to 2.16 mm more.
 */
export function makePostalBarcode(deliveryPoint: string): PostalBarcode {
  // Loaded with the first barcode, because most processes draw none.
  const { raw } = createRequire(import.meta.url)('bwip-js') as typeof import('bwip-js')
  const [barcode] = raw('royalmail', deliveryPoint)
  if (!barcode || !('bbs' in barcode)) throw new Error('bwip-js drew no bars')

  const { bbs, bhs, sbs } = barcode
  let x = 0
  const bars = bbs.map((bottom, index) => {
    const width = sbs[2 * index]!
    const bar = { x, y: bottom * inch, width, height: bhs[index]! * inch }
    x += width + (sbs[2 * index + 1] ?? 0)
    return bar
  })
  const last = bars.at(-1)!
  return { width: last.x + last.width, height: Math.max(...bars.map(topOf)), bars }
}

/** Returns operators that print a barcode with its bottom left at a point, as filled rectangles. */
export function drawPostalBarcode({ bars }: PostalBarcode, at: { x: number; y: number }): string {
  const rectangles = bars.map(({ x, y, width, height }) =>
    [at.x + x, at.y + y, width, height].map(rounded).join(' '),
  )
  return `0 g\n${rectangles.map((rectangle) => `${rectangle} re`).join('\n')}\nf`
}

function topOf({ y, height }: PostalBarcode['bars'][number]): number {
  return y + height
}
