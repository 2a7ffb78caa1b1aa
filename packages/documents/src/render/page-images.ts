import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { OpenPage } from './open-pages.ts'
import { type PageSize, placesOf } from './page-places.ts'

/** An image that a page draws directly, not inside a form. */
export type PageImage = {
  handle: number
  /** Its bounding rectangle on the page, in millimetres from its top left. */
  rectangle: Rectangle
  /** Width times height, before scaling. */
  pixels: number
  filters: readonly string[]
  /** Whether the page blends it with what is below it: a soft mask, a blend mode, an opacity. */
  isMixed: boolean
}

const imageType = 3
const filterNameBytesMax = 32

/** Returns the images of a page whose position is known, without decoding them. `size` is the page's in millimetres. */
export function listImages(page: OpenPage, size: PageSize): PageImage[] {
  const { calls, handle } = page
  const toMillimetres = placesOf(page, size)
  const images: PageImage[] = []
  const count = calls._FPDFPage_CountObjects(handle)
  for (let index = 0; index < count; index++) {
    const object = calls._FPDFPage_GetObject(handle, index)
    if (calls._FPDFPageObj_GetType(object) !== imageType) continue
    const box = boxOf(calls, object)
    const pixels = pixelsOf(calls, object)
    if (!box || pixels === undefined) continue
    images.push({
      handle: object,
      rectangle: toMillimetres(box),
      pixels,
      filters: filtersOf(calls, object),
      isMixed: calls._FPDFPageObj_HasTransparency(object) !== 0,
    })
  }
  return images
}

/** Excludes objects from every later picture of the page. */
export function hideObjects({ calls }: OpenPage, objects: readonly { handle: number }[]): void {
  for (const { handle } of objects) calls._FPDFPageObj_SetIsActive(handle, 0)
}

function boxOf(calls: OpenPage['calls'], object: number) {
  const at = calls.wasmExports.malloc(4 * 4)
  const isKnown = calls._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) !== 0
  const [left = 0, bottom = 0, right = 0, top = 0] = calls.HEAPF32.slice(at / 4, at / 4 + 4)
  calls.wasmExports.free(at)
  return isKnown ? { left, bottom, right, top } : undefined
}

function pixelsOf(calls: OpenPage['calls'], image: number): number | undefined {
  const at = calls.wasmExports.malloc(2 * 4)
  const isKnown = calls._FPDFImageObj_GetImagePixelSize(image, at, at + 4) !== 0
  const [width = 0, height = 0] = calls.HEAP32.slice(at / 4, at / 4 + 2)
  calls.wasmExports.free(at)
  return isKnown ? width * height : undefined
}

function filtersOf(calls: OpenPage['calls'], image: number): string[] {
  const at = calls.wasmExports.malloc(filterNameBytesMax)
  const filters: string[] = []
  const count = calls._FPDFImageObj_GetImageFilterCount(image)
  for (let index = 0; index < count; index++) {
    const bytes = calls._FPDFImageObj_GetImageFilter(image, index, at, filterNameBytesMax)
    const isWhole = bytes > 0 && bytes <= filterNameBytesMax
    filters.push(isWhole ? Buffer.from(calls.HEAPU8.slice(at, at + bytes - 1)).toString() : '')
  }
  calls.wasmExports.free(at)
  return filters
}
