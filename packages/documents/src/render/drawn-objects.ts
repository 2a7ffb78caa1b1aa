import type { Rectangle } from '@despatch/domain/preflight/finding'
import { movesGlyphs } from './moves-glyphs.ts'
import type { OpenPage } from './open-pages.ts'
import { type PageSize, placesOf } from './page-places.ts'
import type { PdfiumCalls } from './pdfium.ts'

/** An object that a page draws directly, not inside a form. */
export type DrawnObject = {
  handle: number
  /** What encloses its ink, in millimetres from the page's top left. Absent if it is not known for certain. */
  rectangle?: Rectangle | undefined
  /** Whether the page blends it with what is below it: a soft mask, a blend mode, an opacity. */
  isMixed: boolean
  /** Present for an image. */
  image?:
    | { /** Width times height, before scaling. */ pixels: number; filters: readonly string[] }
    | undefined
}

type Box = { left: number; bottom: number; right: number; top: number }

const types = { text: 1, path: 2, image: 3 } as const
const segmentTypes = { line: 0, move: 2 } as const
/** A stroked path with more segments is not examined. */
const strokedSegmentsMax = 32
const renderModes = { fill: 0, invisible: 3 } as const
const filterNameBytesMax = 32
/** A larger font program is not read, nor the programs of more fonts of a page. */
const programBytesMax = 1024 * 1024
const fontsMax = 64

/** Returns the objects that a page draws, without painting or decoding them. `size` is the page's in millimetres. */
export function listDrawn({ calls, handle }: OpenPage, size: PageSize): DrawnObject[] {
  const toMillimetres = placesOf({ calls, handle }, size)
  const at = calls.wasmExports.malloc(filterNameBytesMax)
  const fonts = new Map<number, boolean>()
  const objects: DrawnObject[] = []
  const count = calls._FPDFPage_CountObjects(handle)
  for (let index = 0; index < count; index++) {
    const object = calls._FPDFPage_GetObject(handle, index)
    const type = calls._FPDFPageObj_GetType(object)
    const image = type === types.image ? imageOf(calls, object, at) : undefined
    const box =
      type === types.text
        ? boxOfText(calls, object, { at, fonts })
        : type === types.path
          ? boxOfPath(calls, object, at)
          : boxOf(calls, object, at)
    const isKnown = type === types.text || type === types.path || image !== undefined
    objects.push({
      handle: object,
      rectangle: isKnown && box ? toMillimetres(box) : undefined,
      isMixed: calls._FPDFPageObj_HasTransparency(object) !== 0,
      image,
    })
  }
  calls.wasmExports.free(at)
  return objects
}

/** Excludes objects from every later picture of the page. */
export function hideObjects({ calls }: OpenPage, objects: readonly { handle: number }[]): void {
  for (const { handle } of objects) calls._FPDFPageObj_SetIsActive(handle, 0)
}

function boxOf(calls: PdfiumCalls, object: number, at: number): Box | undefined {
  const isKnown = calls._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) !== 0
  const [left = 0, bottom = 0, right = 0, top = 0] = calls.HEAPF32.subarray(at / 4, at / 4 + 4)
  return isKnown ? { left, bottom, right, top } : undefined
}

/**
 * PDFium encloses the outlines of the glyphs, whatever the font states about their widths and boxes. A character that
 * the font lacks is painted from another typeface, in which no glyph extends more than an em from its place.
 */
function boxOfText(
  calls: PdfiumCalls,
  object: number,
  { at, fonts }: { at: number; fonts: Map<number, boolean> },
): Box | undefined {
  const mode = calls._FPDFTextObj_GetTextRenderMode(object)
  // An outline may be of any width.
  if (mode !== renderModes.fill && mode !== renderModes.invisible) return undefined
  const font = calls._FPDFTextObj_GetFont(object)
  if (!fonts.has(font) && fonts.size < fontsMax) {
    fonts.set(font, isPaintedAsOutlined(calls, font, at))
  }
  if (!fonts.get(font)) return undefined
  if (calls._FPDFTextObj_GetFontSize(object, at) === 0) return undefined
  return grownBoxOf(calls, object, { at, by: calls.HEAPF32[at / 4]! })
}

/** The box of an object, larger on each side by a length in the object's own unit, before its matrix. */
function grownBoxOf(
  calls: PdfiumCalls,
  object: number,
  { at, by }: { at: number; by: number },
): Box | undefined {
  if (calls._FPDFPageObj_GetMatrix(object, at) === 0) return undefined
  const [a = Number.NaN, b = 0, c = 0, d = 0] = calls.HEAPF32.subarray(at / 4, at / 4 + 4)
  const scale = Math.max(Math.abs(a) + Math.abs(c), Math.abs(b) + Math.abs(d))
  const margin = Math.abs(by) * scale
  const box = boxOf(calls, object, at)
  return (
    box && {
      left: box.left - margin,
      right: box.right + margin,
      bottom: box.bottom - margin,
      top: box.top + margin,
    }
  )
}

/**
 * PDFium knows the box of what a path fills. It does not know enough of the line where the path closes, turns sharply
 * or is curved. So only undashed lines along the axes have a box: their ends and corners extend by at most their width.
 */
function boxOfPath(calls: PdfiumCalls, path: number, at: number): Box | undefined {
  if (calls._FPDFPath_GetDrawMode(path, at, at + 4) === 0) return undefined
  const isStroked = calls.HEAP32[at / 4 + 1] !== 0
  if (!isStroked) return boxOf(calls, path, at)
  if (calls._FPDFPageObj_GetDashCount(path) !== 0 || !isAlongAxes(calls, path, at)) return undefined
  if (calls._FPDFPageObj_GetStrokeWidth(path, at) === 0) return undefined
  return grownBoxOf(calls, path, { at, by: calls.HEAPF32[at / 4]! })
}

/** In the path's own coordinates, before its matrix. */
function isAlongAxes(calls: PdfiumCalls, path: number, at: number): boolean {
  const count = calls._FPDFPath_CountSegments(path)
  if (count > strokedSegmentsMax) return false
  let [lastX, lastY] = [Number.NaN, Number.NaN]
  let [firstX, firstY] = [Number.NaN, Number.NaN]
  for (let index = 0; index < count; index++) {
    const segment = calls._FPDFPath_GetPathSegment(path, index)
    const type = calls._FPDFPathSegment_GetType(segment)
    if (calls._FPDFPathSegment_GetPoint(segment, at, at + 4) === 0) return false
    const [x = Number.NaN, y = Number.NaN] = calls.HEAPF32.subarray(at / 4, at / 4 + 2)
    if (type === segmentTypes.move) [firstX, firstY] = [x, y]
    else if (type !== segmentTypes.line || (x !== lastX && y !== lastY)) return false
    const closes = calls._FPDFPathSegment_GetClose(segment) !== 0
    if (closes && x !== firstX && y !== firstY) return false
    ;[lastX, lastY] = [x, y]
  }
  return true
}

/** A Type 3 font has no program: operators draw its glyphs. */
function isPaintedAsOutlined(calls: PdfiumCalls, font: number, at: number): boolean {
  if (font === 0 || calls._FPDFFont_GetIsEmbedded(font) !== 1) return false
  calls._FPDFFont_GetFontData(font, 0, 0, at)
  const length = calls.HEAP32[at / 4]!
  const address = length > 0 && length <= programBytesMax ? calls.wasmExports.malloc(length) : 0
  if (address === 0) return false
  const isRead = calls._FPDFFont_GetFontData(font, address, length, at) === 1
  const program = Buffer.from(calls.HEAPU8.subarray(address, address + length))
  calls.wasmExports.free(address)
  return isRead && !movesGlyphs(program)
}

function imageOf(calls: PdfiumCalls, image: number, at: number): DrawnObject['image'] | undefined {
  if (calls._FPDFImageObj_GetImagePixelSize(image, at, at + 4) === 0) return undefined
  const [width = 0, height = 0] = calls.HEAP32.subarray(at / 4, at / 4 + 2)
  return { pixels: width * height, filters: filtersOf(calls, image, at) }
}

function filtersOf(calls: PdfiumCalls, image: number, at: number): string[] {
  const count = calls._FPDFImageObj_GetImageFilterCount(image)
  return Array.from({ length: count }, (_, index) => {
    const bytes = calls._FPDFImageObj_GetImageFilter(image, index, at, filterNameBytesMax)
    const isWhole = bytes > 0 && bytes <= filterNameBytesMax
    return isWhole ? Buffer.from(calls.HEAPU8.slice(at, at + bytes - 1)).toString() : ''
  })
}
