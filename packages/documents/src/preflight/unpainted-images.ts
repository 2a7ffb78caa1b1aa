import type { Rectangle } from '@despatch/domain/preflight/finding'
import { PDFName, PDFNumber, type PDFPage, PDFRawStream, PDFStream } from 'pdf-lib'
import type { PageImage } from '../render/page-images.ts'
import type { Zones } from './zones.ts'

/** Between an image and the nearest place where it would be told of, in millimetres: twelve pixels of the picture. */
const margin = 3
/** Of all images of a page that are left out: PDFium has the memory for as many, so it would not refuse them. */
export const unpaintedPixelsMax = 16_000_000
/** Filters whose images need no more memory than their pixels do. */
const plainFilters: readonly string[] = ['FlateDecode', 'DCTDecode']
const maskKeys = [PDFName.of('SMask'), PDFName.of('Mask')]
const sizeKeys = [PDFName.of('Width'), PDFName.of('Height')]
const filterKey = PDFName.of('Filter')

/**
 * The images that need not be painted to judge a page, since they lie where the page may have anything: an image never
 * reaches beyond what encloses it, as text may. None where a window is looked at, as what is seen in it matters.
 */
export function chooseUnpainted(
  images: readonly PageImage[],
  { areas, strips, window }: Zones,
): readonly PageImage[] {
  if (window) return []
  const unpainted = images.filter(({ rectangle, filters, isMixed }) => {
    const around = grow(rectangle)
    return (
      !isMixed &&
      filters.every((filter) => plainFilters.includes(filter)) &&
      areas.some((area) => isWithin(around, area)) &&
      strips.every((strip) => isApart(around, strip))
    )
  })
  const pixels = unpainted.reduce((sum, image) => sum + image.pixels, 0)
  return pixels > unpaintedPixelsMax ? [] : unpainted
}

/**
 * Whether PDFium has the memory for all masks of images in a document, each counted once for every image that has it. A
 * mask is not told of with its image.
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

/** More than any limit for a mask that does not say, or whose filter may need more than its pixels do. */
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

/** False for what is not a number, as is `isApart`. */
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
