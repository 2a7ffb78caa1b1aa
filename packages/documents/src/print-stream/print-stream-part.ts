import type { PDFDocument, PDFName, PDFObject, PDFRef } from 'pdf-lib'
import { listPrintLayers, tellApart } from '../as-printed/layers.ts'
import type { Plex } from '../composed-document.ts'
import { loadPdf } from '../pdf-safety/inspect-pdf.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { branchKidsMax } from './page-tree-of-stream.ts'
import { listPrintPages, type PrintPage, sizeOf } from './print-pages.ts'
import { type KnownObjects, type ObjectSink, writeReached } from './write-reached.ts'
import { referencesIn, writeEntries } from './write-value.ts'

/** Position in a print stream, from which the next part continues. */
export type PrintStreamPlace = {
  nextNumber: number
  /** The branch of the page tree that takes the next page, and how many pages it has. */
  branch: number | undefined
  branchPages: number
  known: KnownObjects
}

export type PrintStreamTask = {
  documents: readonly Uint8Array[]
  plex: Plex
  place: PrintStreamPlace
}

/** A piece of a print stream: whole objects, and the data to find them. */
export type PrintStreamPart = {
  bytes: Uint8Array
  /** Object numbers, and where each object begins in `bytes`. */
  numbers: Uint32Array
  offsets: Uint32Array
  /** Object numbers of the pages in order, of new branches of the page tree, and of layers. */
  pages: Uint32Array
  branches: number[]
  layers: number[]
  layersOff: number[]
  /** The number of pages of each document, without an added empty page. */
  documentPages: number[]
  place: PrintStreamPlace
}

/** How many objects are remembered, so that objects that many documents share are written once. */
const knownMax = 4_000

/**
 * Renumbers and writes the next documents of a print stream: their pages and everything these lead to, except what is
 * for screens, names other pages or describes the file. For duplex, an odd number of pages is followed by an empty page
 * of the same size. Throws if a document cannot be read or is encrypted.
 */
export async function makePrintStreamPart({
  documents,
  plex,
  place,
}: PrintStreamTask): Promise<PrintStreamPart> {
  const part = beginPart(place)
  for (const bytes of documents) {
    await part.addDocument(await loadPdf(bytes), plex)
  }
  return part.end()
}

function beginPart(begin: PrintStreamPlace) {
  const writer = createByteWriter()
  const place = { ...begin }
  const numbers: number[] = []
  const offsets: number[] = []
  const pages: number[] = []
  const branches: number[] = []
  const layers: number[] = []
  const layersOff: number[] = []
  const documentPages: number[] = []

  function placed(number: number, offset: number): void {
    numbers.push(number)
    offsets.push(offset)
  }

  function takeBranch(): number {
    if (place.branch === undefined || place.branchPages === branchKidsMax) {
      place.branch = place.nextNumber++
      place.branchPages = 0
      branches.push(place.branch)
    }
    place.branchPages += 1
    return place.branch
  }

  function addPage(number: number, entries: [PDFName, PDFObject][], sink: ObjectSink): void {
    const branch = takeBranch()
    pages.push(number)
    placed(number, writer.length)
    writePage(writer, { number, branch, entries, numbers: sink.numbers })
  }

  async function addDocument(document: PDFDocument, plex: Plex): Promise<void> {
    const printPages = await listPrintPages(document)
    if (printPages.length === 0) throw new Error('The PDF has no pages')
    const { layers: allLayers, off } = listPrintLayers(document)
    tellApart(document, allLayers, place.nextNumber)
    const sink: ObjectSink = {
      writer,
      known: place.known,
      numbers: new Map(),
      unique: new Set(allLayers),
      takeNumber: () => place.nextNumber++,
      reuseNumber: () => {
        place.nextNumber -= 1
      },
      placed,
    }
    const pageNumbers = numberPages(printPages, sink)
    for (const [index, { node }] of printPages.entries()) {
      writeReached(sink, document.context, referencesIn(node))
      addPage(pageNumbers[index]!, node.entries(), sink)
    }
    if (plex === 'duplex' && printPages.length % 2 === 1) {
      addPage(sink.takeNumber(), sizeOf(printPages.at(-1)!), sink)
    }
    documentPages.push(printPages.length)
    layers.push(...numbersOf(allLayers, sink))
    layersOff.push(...numbersOf(off, sink))
  }

  function end(): PrintStreamPart {
    return {
      bytes: writer.copy(),
      numbers: Uint32Array.from(numbers),
      offsets: Uint32Array.from(offsets),
      pages: Uint32Array.from(pages),
      branches,
      layers,
      layersOff,
      documentPages,
      place: { ...place, known: latest(place.known) },
    }
  }

  return { addDocument, end }
}

/** Pages get their numbers before anything is written, because an object may refer to a page. */
function numberPages(pages: readonly PrintPage[], { numbers, takeNumber }: ObjectSink): number[] {
  return pages.map(({ ref }) => {
    const number = takeNumber()
    if (ref && !numbers.has(ref)) numbers.set(ref, number)
    return number
  })
}

function writePage(
  writer: ByteWriter,
  page: {
    number: number
    branch: number
    entries: [PDFName, PDFObject][]
    numbers: ReadonlyMap<PDFRef, number>
  },
): void {
  const { number, branch, entries, numbers } = page
  writer.text(`${number} 0 obj\n<</Type/Page/Parent ${branch} 0 R`)
  if (!entries.some(([key]) => key.toString() === '/Resources')) writer.text('/Resources<<>>')
  writeEntries(writer, entries, (ref) => numbers.get(ref))
  writer.text('>>\nendobj\n')
}

function numbersOf(refs: readonly PDFRef[], { numbers }: ObjectSink): number[] {
  return refs.map((ref) => numbers.get(ref)).filter((number) => number !== undefined)
}

function latest(known: KnownObjects): KnownObjects {
  return known.size <= knownMax ? known : new Map([...known].slice(-knownMax))
}
