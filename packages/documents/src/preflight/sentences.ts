import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { InkFound } from './ink.ts'
import { toTenths } from './ink.ts'
import type { Size } from './page-geometry.ts'

type Where = { fileId?: string | undefined; page: number }

/** Sentences about a page for people: what is wrong, where in millimetres, and what is allowed. */
export const sentences = {
  sizeless: (where: Where) => `${nameOf(where)} has no stated size; it must be A4.`,
  size: (where: Where, { size, tolerance }: { size: string; tolerance: number }) =>
    `${nameOf(where)} is ${size} mm as it is read; it must be A4 portrait, 210 × 297 mm, give or take ${tolerance} mm.`,
  crop: (where: Where, { size, tolerance }: { size: string; tolerance: number }) =>
    `${nameOf(where)} has a crop box that shows ${size} mm of it; it must show A4 portrait, 210 × 297 mm, give or take ${tolerance} mm.`,
  paper: (where: Where, { size, tolerance }: { size: string; tolerance: number }) =>
    `${nameOf(where)} is ${size} mm, and a crop box shows A4 of it; a file that is printed as supplied must be A4 portrait, 210 × 297 mm, give or take ${tolerance} mm: export it without bleed and printer's marks.`,
  printArea: (
    where: Where,
    { found, areas }: { found: InkFound; areas: readonly Rectangle[] },
  ): string =>
    `${nameOf(where)} has print up to ${found.depth} mm outside the printable area, at ${describeRectangle(found.rectangle)}; ${describeAreas(areas)}.`,
  window: (where: Where, { found, window }: { found: InkFound; window: Rectangle }): string =>
    `${nameOf(where)} has print in the address window, at ${describeRectangle(found.rectangle)}; the window, ${describeSides(window)}, must be clear for the address.`,
  strip: (where: Where, { found, strip }: { found: InkFound; strip: Rectangle }): string =>
    `${nameOf(where)} has print in a strip that is kept for marks, at ${describeRectangle(found.rectangle)}; the strip, ${describeSides(strip)}, must be clear.`,
  hidden: (where: Where, { characters, place }: { characters: number; place: string }): string =>
    `${nameOf(where)} has ${characters > 0 ? 'text' : 'a picture'} that cannot be seen in the address window, at ${place}; sorting machines may read it, so it must be removed.`,
  fonts: (where: Where, { pages, names }: { pages: number; names: string }): string =>
    `${nameOf(where)} ${pages > 1 ? `is the first of ${pages} pages with` : 'has'} fonts that are not embedded (${names}); another font may be printed instead.`,
  more: (where: Where, { pages, says }: { pages: number; says: string }): string =>
    `${nameOf(where)}${pages > 1 ? ` and ${pages - 1} more break` : ' breaks'} a rule: ${says}`,
} as const

export function describeSize({ width, height }: Size): {
  value: readonly [number, number]
  text: string
} {
  const value = [toTenths(width), toTenths(height)] as const
  return { value, text: value.join(' × ') }
}

/** Returns text such as "3.1 mm from the left and 120 mm from the top (4 × 20 mm)". */
export function describeRectangle({ x, y, width, height }: Rectangle): string {
  return `${x} mm from the left and ${y} mm from the top (${width} × ${height} mm)`
}

function nameOf({ fileId, page }: Where): string {
  return fileId === undefined ? `Page ${page}` : `Page ${page} of file ${fileId}`
}

/** A single area is described by its margins, because people set margins. */
export function describeAreas(areas: readonly Rectangle[]): string {
  const [area, ...others] = areas
  if (!area || others.length > 0) {
    return `print must stay within ${areas.map(describeSpan).join(', ')} mm (from left and top)`
  }
  const { x: side, y: end } = area
  return side === end
    ? `it must stay ${side} mm from every edge`
    : `it must stay ${side} mm from the left and right edges and ${end} mm from top and bottom`
}

function describeSides({ x, y, width, height }: Rectangle): string {
  const [right, bottom] = [toTenths(x + width), toTenths(y + height)]
  return `${x}–${right} mm from the left and ${y}–${bottom} mm from the top`
}

export function describeSpan({ x, y, width, height }: Rectangle): string {
  return `${toTenths(x)}–${toTenths(x + width)} × ${toTenths(y)}–${toTenths(y + height)}`
}
