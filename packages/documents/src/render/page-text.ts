import type { Rectangle } from '@despatch/domain/preflight/finding'
import { type OpenPage, PageFault } from './open-pages.ts'
import { type PageSize, placesOf } from './page-places.ts'

const charactersMax = 500_000
const lastControlCharacter = 0x20
const noBreakSpace = 0xa0

/**
 * Finds the characters of a page that touch `within` and are not spaces, visible or not. Positions are in millimetres
 * from its top left. `size` is the page's in millimetres. Throws if there are too many.
 */
export function findCharacters(
  page: OpenPage,
  { size, within }: { size: PageSize; within: Rectangle },
): Rectangle[] {
  const { calls, handle } = page
  const text = calls._FPDFText_LoadPage(handle)
  if (text === 0) throw new PageFault('damaged', 'the text of a page cannot be read')
  const toMillimetres = placesOf(page, size)
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
