import type { OpenPage } from './open-pages.ts'

/** Rows from the top, four bytes per pixel: red, green, blue and one unused. */
export type Picture = { width: number; height: number; pixels: Uint8Array<ArrayBuffer> }

const colourWithoutAlpha = 3
const white = 0xffffffff
/** In red, green and blue, and with the layers that print. Annotations are in the content already. */
const asPrintedInRedGreenBlue = 0x10 | 0x800

/** Paints a page, or only `part` of it, in pixels of the whole page, as it would print. */
export function paint(
  { calls, handle }: OpenPage,
  size: { width: number; height: number },
  part: { x: number; y: number; width: number; height: number } = { x: 0, y: 0, ...size },
): Picture {
  const { width, height } = part
  const bitmap = calls._FPDFBitmap_CreateEx(width, height, colourWithoutAlpha, 0, 0)
  if (bitmap === 0) throw new Error('PDFium has no memory for a picture')
  calls._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white)
  calls._FPDF_RenderPageBitmap(
    bitmap,
    handle,
    -part.x,
    -part.y,
    size.width,
    size.height,
    0,
    asPrintedInRedGreenBlue,
  )
  const start = calls._FPDFBitmap_GetBuffer(bitmap)
  const bytes = calls._FPDFBitmap_GetStride(bitmap) * height
  const pixels = calls.HEAPU8.slice(start, start + bytes)
  calls._FPDFBitmap_Destroy(bitmap)
  return { width, height, pixels }
}
