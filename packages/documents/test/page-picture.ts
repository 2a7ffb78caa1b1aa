import { PDFiumLibrary } from '@hyzyla/pdfium'
import { openAsPrinted } from '../src/preflight/open-as-printed.ts'
import { paint } from '../src/render/render-page.ts'

/** A printed page, or part of one, in grey: one byte per pixel. */
export type PagePicture = { width: number; height: number; grey: Uint8Array }

type Part = { x: number; y: number; width: number; height: number }

let library: Promise<PDFiumLibrary> | undefined

/** Returns the picture of a page, from 1, or of `part` of it in millimetres from its top left. */
export async function pagePicture(
  pdf: Uint8Array,
  page: number,
  { pixelsPerInch, part }: { pixelsPerInch: number; part?: Part },
): Promise<PagePicture> {
  using pages = unwrap((await openAsPrinted(pdf)).pages)
  const { seen } = unwrap(
    pages.look(page, (open) => {
      const whole = {
        x: 0,
        y: 0,
        width: Math.round((open.calls._FPDF_GetPageWidthF(open.handle) * pixelsPerInch) / 72),
        height: Math.round((open.calls._FPDF_GetPageHeightF(open.handle) * pixelsPerInch) / 72),
      }
      return paint(open, whole, part ? inPixels(part, pixelsPerInch) : whole)
    }),
  )
  const { width, height, pixels } = seen
  const grey = new Uint8Array(width * height)
  for (let index = 0; index < grey.length; index++) {
    grey[index] = (pixels[index * 4]! + pixels[index * 4 + 1]! + pixels[index * 4 + 2]!) / 3
  }
  return { width, height, grey }
}

/** Returns the text of a page, from 1, as a reader extracts it. */
export async function pageText(pdf: Uint8Array, page: number): Promise<string> {
  library ??= PDFiumLibrary.init()
  const document = await (await library).loadDocument(pdf)
  try {
    return document.getPage(page - 1).getText()
  } finally {
    document.destroy()
  }
}

function inPixels({ x, y, width, height }: Part, pixelsPerInch: number): Part {
  const pixels = (millimetres: number) => Math.round((millimetres * pixelsPerInch) / 25.4)
  return { x: pixels(x), y: pixels(y), width: pixels(width), height: pixels(height) }
}

function unwrap<T extends { kind: string }>(result: T): Exclude<T, { kind: 'unreadable' }> {
  if (result.kind === 'unreadable') throw new Error('the page cannot be read')
  return result as Exclude<T, { kind: 'unreadable' }>
}
