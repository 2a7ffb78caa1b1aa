import type { PrintableAddress } from '@despatch/domain/address/address'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { PDFDocument, PDFHexString, PDFString } from 'pdf-lib'
import { makeAddressBlock } from './address-block.ts'
import { addAddressPage } from './address-page.ts'
import { type Composition, countSheets, type Plex } from './composed-document.ts'
import type { MediaType } from './file-signature.ts'
import { addImagePages } from './image-pages.ts'
import { openPdf } from './open-pdf.ts'
import { addPdfPages } from './pdf-pages.ts'

export type LetterFile = { fileId: string; mediaType: MediaType; bytes: Uint8Array }

/**
 * Composes a letter: a page of ours with the address in the envelope's window, then the pages of the
 * files in their order. Equal arguments give equal bytes: `at` is the document's only time. Refused
 * when a line has a character that the typeface lacks or a file cannot be read.
 */
export async function composeLetter({
  printableAddress,
  handlingInstruction,
  pages,
  title,
  at,
  plex = 'duplex',
}: {
  printableAddress: PrintableAddress
  handlingInstruction?: HandlingInstruction | undefined
  pages: readonly LetterFile[]
  title: string
  at: Date
  plex?: Plex
}): Promise<Composition> {
  const block = makeAddressBlock(printableAddress, handlingInstruction)
  if (block.kind === 'unprintable') return { kind: 'refused', reason: block.reason }

  const document = await PDFDocument.create({ updateMetadata: false })
  describe(document, { title, at })
  addAddressPage(document, {
    handling: block.handling.map(({ text }) => text),
    address: block.address.map(({ text }) => text),
  })
  for (const file of pages) {
    const reason = await addFile(document, file)
    if (reason) return { kind: 'refused', fileId: file.fileId, reason }
  }
  return save(document, plex)
}

async function addFile(
  document: PDFDocument,
  { mediaType, bytes }: LetterFile,
): Promise<string | undefined> {
  if (mediaType === 'application/pdf') return addPdf(document, bytes)
  try {
    await addImagePages(document, { bytes, mediaType })
    return undefined
  } catch {
    return 'The image is damaged, too large or of a kind that cannot be read.'
  }
}

async function addPdf(document: PDFDocument, bytes: Uint8Array): Promise<string | undefined> {
  const opened = await openPdf(bytes)
  if (opened.kind === 'unsound') return opened.reason
  try {
    addPdfPages(document, opened.document)
    return undefined
  } catch {
    return 'The PDF is damaged and its pages cannot be read.'
  }
}

function describe(document: PDFDocument, { title, at }: { title: string; at: Date }): void {
  const { context } = document
  context.trailerInfo.Info = context.register(
    context.obj({
      Title: PDFHexString.fromText(title),
      Producer: PDFString.of('Despatch'),
      CreationDate: PDFString.fromDate(at),
      ModDate: PDFString.fromDate(at),
    }),
  )
}

async function save(document: PDFDocument, plex: Plex): Promise<Composition> {
  const pages = document.getPageCount()
  const pdf = await document.save({
    useObjectStreams: false,
    addDefaultPage: false,
    updateFieldAppearances: false,
    objectsPerTick: Number.POSITIVE_INFINITY,
  })
  return { kind: 'composed', pdf, pages, sheets: countSheets(pages, plex) }
}
