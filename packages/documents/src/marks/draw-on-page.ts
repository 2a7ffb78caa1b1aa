import { deflateSync } from 'node:zlib'
import {
  decodePDFRawStream,
  PDFArray,
  type PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  PDFRawStream,
  PDFRef,
  type PDFStream,
} from 'pdf-lib'
import { a4 } from '../a4.ts'
import { rounded } from '../draw-text.ts'

/** Operators for an A4 page as it is read, in points from its bottom left, and the fonts that they name. */
export type Drawing = { operators: string; fonts: Readonly<Record<string, PDFRef>> }

type Box = { x: number; y: number; width: number; height: number }

/**
 * Draws over any page. Lengths are those of the paper and count from the top left of the page as it is read, whatever
 * its rotation, crop box and unit. The existing content becomes a form, so that nothing it leaves behind (a matrix, a
 * clip, an open string) affects the drawing. Returns false and leaves the page unchanged if its content uses an
 * encoding that cannot be read.
 */
export function drawOnPage(page: PDFPage, { operators, fonts }: Drawing): boolean {
  const { node } = page
  const { context } = node
  const content = pageContent(node)
  if (content === 'unreadable') return false

  const { x, y, width, height } = page.getMediaBox()
  const form =
    content &&
    context.stream(content.bytes, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [x, y, x + width, y + height],
      Resources: node.Resources() ?? {},
      ...content.packing,
    })
  node.set(
    PDFName.of('Resources'),
    context.obj({ Font: { ...fonts }, XObject: form ? { Page: context.register(form) } : {} }),
  )
  const matrix = placementOn(page).map(rounded).join(' ')
  const drawing = `q ${matrix} cm\n${operators}\nQ`
  node.set(
    PDFName.of('Contents'),
    context.register(context.stream(form ? `/Page Do\n${drawing}` : drawing)),
  )
  return true
}

/** A single stream is used unchanged. Several streams are decoded and joined, because a form has only one. */
function pageContent(
  node: PDFDict,
): { bytes: Uint8Array; packing: Record<string, PDFObject | string> } | 'unreadable' | undefined {
  const streams = contentStreams(node)
  const [first, ...others] = streams
  if (!first) return undefined
  if (others.length === 0) {
    const packing = ['Filter', 'DecodeParms'].flatMap((key) => {
      const value = first.dict.get(PDFName.of(key))
      return value ? [[key, value] as const] : []
    })
    return { bytes: first.getContents(), packing: Object.fromEntries(packing) }
  }
  try {
    const whole = Buffer.concat(streams.flatMap((each) => [unpacked(each), newLine]))
    return { bytes: deflateSync(whole), packing: { Filter: 'FlateDecode' } }
  } catch {
    return 'unreadable'
  }
}

const newLine = Buffer.from('\n')

function contentStreams(page: PDFDict): PDFStream[] {
  const contents = page.lookup(PDFName.of('Contents'))
  const items = contents instanceof PDFArray ? contents.asArray() : [contents]
  return items
    .map((item) => (item instanceof PDFRef ? page.context.lookup(item) : item))
    .filter((item) => item !== undefined && 'getContents' in item) as PDFStream[]
}

function unpacked(stream: PDFStream): Uint8Array {
  return stream instanceof PDFRawStream ? decodePDFRawStream(stream).decode() : stream.getContents()
}

/** Returns the matrix from A4, as it is read and aligned at the top, to the page's own coordinates. */
function placementOn(page: PDFPage): readonly number[] {
  const { x, y, width, height } = visibleBox(page)
  const unit = page.node.lookupMaybe(PDFName.of('UserUnit'), PDFNumber)?.asNumber() ?? 1
  const one = 1 / unit
  const turns = (((page.getRotation().angle / 90) % 4) + 4) % 4
  // Distance of A4's bottom edge below that of the page.
  const below = a4.height * one - (turns % 2 === 0 ? height : width)
  switch (turns) {
    case 1:
      return [0, one, -one, 0, x + width + below, y]
    case 2:
      return [-one, 0, 0, -one, x + width, y + height + below]
    case 3:
      return [0, -one, one, 0, x - below, y + height]
    default:
      return [one, 0, 0, one, x, y - below]
  }
}

/** Returns the printed part of a page: its crop box, limited to the paper. */
function visibleBox(page: PDFPage): Box {
  const media = page.getMediaBox()
  const crop = page.getCropBox()
  const x = Math.max(media.x, crop.x)
  const y = Math.max(media.y, crop.y)
  const width = Math.min(media.x + media.width, crop.x + crop.width) - x
  const height = Math.min(media.y + media.height, crop.y + crop.height) - y
  return width > 0 && height > 0 ? { x, y, width, height } : media
}
