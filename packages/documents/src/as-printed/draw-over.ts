import { deflateSync } from 'node:zlib'
import {
  decodePDFRawStream,
  PDFArray,
  type PDFDict,
  PDFName,
  type PDFObject,
  type PDFPageLeaf,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from 'pdf-lib'

export type Overlay = {
  /** Operators that are run after the content of the page, in its coordinates. */
  operators?: string
  /** The resources that they name, by kind and name. */
  resources?: Readonly<Record<string, Readonly<Record<string, PDFObject>>>>
  /** How much larger the content of the page becomes. */
  scale?: number
}

const keys = { Contents: PDFName.of('Contents'), Resources: PDFName.of('Resources') }

/**
 * Draws over a page. Its existing content becomes a form, so that nothing it leaves behind (a matrix, a clip, an open
 * string) affects the drawing. Returns false and leaves the page unchanged if its content uses an encoding that cannot
 * be read.
 */
export function drawOver(
  page: PDFPageLeaf,
  { operators = '', resources = {}, scale = 1 }: Overlay,
): boolean {
  const { context } = page
  const content = pageContent(page)
  if (content === 'unreadable') return false

  const { x, y, width, height } = page.MediaBox().asRectangle()
  const form =
    content &&
    context.stream(content.bytes, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [x, y, x + width, y + height],
      ...(scale !== 1 && { Matrix: [scale, 0, 0, scale, 0, 0] }),
      Resources: page.Resources() ?? {},
      ...content.packing,
    })
  page.set(
    keys.Resources,
    context.obj({
      ...resources,
      XObject: { ...resources.XObject, ...(form && { Page: context.register(form) }) },
    }),
  )
  const whole = form ? `/Page Do\n${operators}` : operators
  page.set(keys.Contents, context.register(context.stream(whole)))
  return true
}

/** A single stream is used unchanged. Several streams are decoded and joined, because a form has only one. */
function pageContent(
  page: PDFDict,
): { bytes: Uint8Array; packing: Record<string, PDFObject | string> } | 'unreadable' | undefined {
  const streams = contentStreams(page)
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

/** Returns the streams of a page's content, in order. */
export function contentStreams(page: PDFDict): PDFStream[] {
  const contents = page.lookup(keys.Contents)
  const items = contents instanceof PDFArray ? contents.asArray() : [contents]
  return items
    .map((item) => (item instanceof PDFRef ? page.context.lookup(item) : item))
    .filter((item) => item instanceof PDFStream)
}

function unpacked(stream: PDFStream): Uint8Array {
  return stream instanceof PDFRawStream ? decodePDFRawStream(stream).decode() : stream.getContents()
}
