import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFPageLeaf,
  PDFRawStream,
} from 'pdf-lib'
import { readOperators } from '../pdf-safety/content-operators.ts'
import { decodeContent } from '../pdf-safety/decode-content.ts'
import { contentStreams } from './draw-over.ts'
import { hasLayers } from './layers.ts'

const keys = {
  Contents: PDFName.of('Contents'),
  DecodeParms: PDFName.of('DecodeParms'),
  Filter: PDFName.of('Filter'),
  Length: PDFName.of('Length'),
  Subtype: PDFName.of('Subtype'),
}
const form = PDFName.of('Form')
const begins: ReadonlySet<string> = new Set(['BDC', 'BMC'])

/**
 * Ends the layers that the pages and forms of a document begin and do not end. Some readers let such a layer hide what
 * is drawn after the content that began it. A document without layers is not read.
 */
export function closeLayers(document: PDFDocument, pages: readonly PDFPageLeaf[]): void {
  if (!hasLayers(document)) return
  const { context } = document
  for (const page of pages) {
    const streams = contentStreams(page).filter((stream) => stream instanceof PDFRawStream)
    const open = countOpen(streams.map(decodeContent))
    if (open === 0) continue
    const contents = page.lookup(keys.Contents)
    const given = contents instanceof PDFArray ? contents.asArray() : [page.get(keys.Contents)!]
    page.set(keys.Contents, context.obj([...given, context.register(context.stream(ends(open)))]))
  }
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream) || object.dict.lookup(keys.Subtype) !== form) continue
    const content = decodeContent(object)
    const open = countOpen([content])
    if (open === 0) continue
    const entries = PDFDict.fromMapWithContext(new Map(object.dict.entries()), context)
    for (const key of [keys.Filter, keys.DecodeParms, keys.Length]) entries.delete(key)
    context.assign(ref, PDFRawStream.of(entries, Buffer.concat([content, Buffer.from(ends(open))])))
  }
}

function ends(count: number): string {
  return '\nEMC'.repeat(count)
}

/** Counts what one content, of several parts, begins and does not end. An end of nothing counts as nothing. */
function countOpen(parts: readonly Uint8Array[]): number {
  let open = 0
  for (const part of parts) {
    for (const { name } of readOperators(part)) {
      if (begins.has(name)) open += 1
      else if (name === 'EMC' && open > 0) open -= 1
    }
  }
  return open
}
