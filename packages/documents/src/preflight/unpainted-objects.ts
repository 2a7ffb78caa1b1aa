import type { Rectangle } from '@despatch/domain/preflight/finding'
import { PDFDict, PDFName, PDFNumber, type PDFPage, PDFRawStream, PDFStream } from 'pdf-lib'
import type { DrawnObject } from '../render/drawn-objects.ts'
import type { Zones } from './zones.ts'

/**
 * Smallest distance between an unpainted object and the nearest place where it would be a finding, in millimetres:
 * twelve pixels of the picture.
 */
const margin = 3
/**
 * Total pixels of the images of a page that may stay unpainted. PDFium has enough memory for these, so painting them
 * would not have failed.
 */
export const unpaintedPixelsMax = 16_000_000
/** Filters whose images use no more memory than their pixels. */
const plainFilters: readonly string[] = ['FlateDecode', 'DCTDecode']
const maskKeys = [PDFName.of('SMask'), PDFName.of('Mask')]
const sizeKeys = [PDFName.of('Width'), PDFName.of('Height')]
const filterKey = PDFName.of('Filter')
const simpleFonts = ['TrueType', 'Type1', 'MMType1', 'Type3']
const fontKey = PDFName.of('Font')
const patternKey = PDFName.of('Pattern')

/**
 * Returns the objects that need not be painted to check a page, because they are where the page may contain anything.
 * Returns none if the page has a window, because what is visible there matters.
 */
export function chooseUnpainted(
  objects: readonly DrawnObject[],
  { areas, strips, window }: Zones,
): readonly DrawnObject[] {
  if (window) return []
  const unpainted = objects.filter(({ rectangle, isMixed, image }) => {
    if (!rectangle || isMixed) return false
    const around = grow(rectangle)
    return (
      areas.some((area) => isWithin(around, area)) &&
      strips.every((strip) => isApart(around, strip)) &&
      (image?.filters ?? []).every((filter) => plainFilters.includes(filter))
    )
  })
  const pixels = unpainted.reduce((sum, { image }) => sum + (image?.pixels ?? 0), 0)
  return pixels > unpaintedPixelsMax ? unpainted.filter(({ image }) => !image) : unpainted
}

/**
 * Returns whether PDFium has enough memory for all image masks in a document, counting each mask once per image that
 * uses it. The list of images does not include masks.
 */
export function hasSmallMasks(pages: readonly PDFPage[]): boolean {
  const { context } = pages[0]?.doc ?? {}
  if (!context) return true
  let pixels = 0
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue
    for (const key of maskKeys) {
      const mask = context.lookup(object.dict.get(key))
      if (mask instanceof PDFStream) pixels += pixelsOfMask(mask)
    }
  }
  return pixels <= unpaintedPixelsMax
}

/**
 * Returns whether PDFium knows the places of the text and lines of a page, and would paint nothing but these: no font
 * writes downwards, and there is no pattern.
 */
export function hasPlainResources(page: PDFPage): boolean {
  try {
    const { context } = page.doc
    const resources = page.node.Resources()
    const fonts = resources?.lookupMaybe(fontKey, PDFDict)?.values() ?? []
    const patterns = resources?.lookupMaybe(patternKey, PDFDict)?.values() ?? []
    return patterns.length === 0 && fonts.every((font) => writesAcross(context.lookup(font)))
  } catch {
    return false
  }
}

function writesAcross(font: unknown): boolean {
  if (!(font instanceof PDFDict)) return false
  const subtype = font.lookup(PDFName.of('Subtype'))
  if (subtype === PDFName.of('Type0')) {
    return font.lookup(PDFName.of('Encoding')) === PDFName.of('Identity-H')
  }
  return simpleFonts.some((name) => subtype === PDFName.of(name))
}

/** Infinite if the mask states no size, or if its filter may need more memory than its pixels. */
function pixelsOfMask({ dict }: PDFStream): number {
  const filter = dict.lookup(filterKey)
  const isPlain =
    !filter || (filter instanceof PDFName && plainFilters.includes(filter.decodeText()))
  const [width, height] = sizeKeys.map((key) => dict.lookup(key))
  return isPlain && width instanceof PDFNumber && height instanceof PDFNumber
    ? width.asNumber() * height.asNumber()
    : Number.POSITIVE_INFINITY
}

function grow({ x, y, width, height }: Rectangle): Rectangle {
  return {
    x: x - margin,
    y: y - margin,
    width: width + 2 * margin,
    height: height + 2 * margin,
  }
}

/** Returns false if a coordinate is NaN; so does `isApart`. */
function isWithin(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x >= other.x &&
    one.y >= other.y &&
    one.x + one.width <= other.x + other.width &&
    one.y + one.height <= other.y + other.height
  )
}

function isApart(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x + one.width <= other.x ||
    other.x + other.width <= one.x ||
    one.y + one.height <= other.y ||
    other.y + other.height <= one.y
  )
}
