import type { Rectangle } from '@despatch/domain/preflight/finding'
import { type OpenPage, PageFault } from './open-pages.ts'

export type PageSize = { width: number; height: number }

/** Positions come out as whole micrometres. */
const micrometres = 1000
const charactersMax = 500_000
const lastControlCharacter = 0x20
const noBreakSpace = 0xa0

/**
 * Where a page has characters that are not spaces, in millimetres from its top left, whether they can be seen or not: the
 * ones that touch `within`. `size` is the page's in millimetres. Throws when there are too many.
 */
export function findCharacters(
  page: OpenPage,
  { size, within }: { size: PageSize; within: Rectangle },
): Rectangle[] {
  const { calls, handle } = page
  const text = calls._FPDFText_LoadPage(handle)
  if (text === 0) throw new PageFault('damaged', 'the text of a page cannot be read')
  const toMillimetres = transformOf(page, size)
  const box = calls.wasmExports.malloc(4 * 8)
  const found: Rectangle[] = []
  const count = calls._FPDFText_CountChars(text)
  if (count > charactersMax) throw new PageFault('too-complex', 'a page has too many characters')
  for (let index = 0; index < count; index++) {
    if (isBlank(page, text, index)) continue
    if (calls._FPDFText_GetCharBox(text, index, box, box + 8, box + 16, box + 24) === 0) continue
    const [left = 0, right = 0, bottom = 0, top = 0] = calls.HEAPF64.subarray(box / 8, box / 8 + 4)
    if (left === right || bottom === top) continue
    const rectangle = toMillimetres({ left, right, bottom, top })
    if (touch(rectangle, within)) found.push(rectangle)
  }
  calls.wasmExports.free(box)
  calls._FPDFText_ClosePage(text)
  return found
}

function isBlank({ calls }: OpenPage, text: number, index: number): boolean {
  const code = calls._FPDFText_GetUnicode(text, index)
  const isSpace = (code > 0 && code <= lastControlCharacter) || code === noBreakSpace
  return isSpace || calls._FPDFText_IsGenerated(text, index) === 1
}

function touch(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

/** PDFium knows how the page is turned and cut; three points tell how its points become millimetres. */
function transformOf(page: OpenPage, size: PageSize) {
  const step = 1000
  const origin = placeOf(page, size, 0, 0)
  const alongX = placeOf(page, size, step, 0)
  const alongY = placeOf(page, size, 0, step)
  const place = (x: number, y: number) => ({
    x: origin.x + ((alongX.x - origin.x) * x + (alongY.x - origin.x) * y) / step,
    y: origin.y + ((alongX.y - origin.y) * x + (alongY.y - origin.y) * y) / step,
  })
  return (box: { left: number; right: number; bottom: number; top: number }): Rectangle => {
    const one = place(box.left, box.bottom)
    const other = place(box.right, box.top)
    return {
      x: Math.min(one.x, other.x),
      y: Math.min(one.y, other.y),
      width: Math.abs(one.x - other.x),
      height: Math.abs(one.y - other.y),
    }
  }
}

function placeOf({ calls, handle }: OpenPage, size: PageSize, x: number, y: number) {
  const address = calls.wasmExports.malloc(8)
  const width = Math.round(size.width * micrometres)
  const height = Math.round(size.height * micrometres)
  calls._FPDF_PageToDevice(handle, 0, 0, width, height, 0, x, y, address, address + 4)
  const [across = 0, down = 0] = calls.HEAP32.subarray(address / 4, address / 4 + 2)
  calls.wasmExports.free(address)
  return { x: across / micrometres, y: down / micrometres }
}
