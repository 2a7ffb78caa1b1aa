import type { PrintableAddress } from '@despatch/domain/address/address'
import { commentOf, type Finding } from '@despatch/domain/preflight/finding'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { PDFDocument, PDFHexString, PDFString } from 'pdf-lib'
import { makeAddressBlock } from './address-block.ts'
import { addAddressPage, drawAddressOnPage } from './address-page.ts'
import { choosePrint, composeWithoutFiles, textsOf } from './compose-without-files.ts'
import { type ComposedDocument, countSheets, type Plex } from './composed-document.ts'
import { type DocumentProgress, unwatched } from './document-request.ts'
import { addLetterFont } from './embed-font.ts'
import type { MediaType } from './file-signature.ts'
import { subsetFor } from './font-subset.ts'
import { addImagePages } from './images/image-pages.ts'
import { addInsertionMarks } from './marks/insertion-mark.ts'
import { addPdfPages } from './pdf-pages.ts'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'
import { savePdf } from './save-pdf.ts'

export type LetterFile = {
  fileId: string
  mediaType: MediaType
  bytes: Uint8Array
  /** How many pages it has, if the caller knows. */
  count?: number | undefined
  /** The same PDF already opened, if the caller no longer needs it. */
  document?: PDFDocument | undefined
}

/** A letter, or every finding that refuses it. `reason` is the sentence of the first finding. */
type ComposedLetter =
  | ({ kind: 'composed' } & ComposedDocument)
  | { kind: 'refused'; fileId?: string; reason: string; findings: readonly Finding[] }

/**
 * Composes a letter: an address page with the address in the envelope's window, then the pages of the files in order.
 * With `addressPlacement: 'first-page'` the address is printed on the first page of the first file instead, if that is
 * a PDF. Marks are the postal barcode with the address and, if a `documentId` is given, the insertion mark on the front
 * of each sheet. Equal arguments return equal bytes: `at` is the document's only time. The letter is refused if a line
 * has a character that the typeface lacks or a file cannot be read.
 */
export async function composeLetter({
  printableAddress,
  handlingInstruction,
  pages,
  title,
  at,
  plex = 'duplex',
  addressPlacement = 'own-page',
  documentId,
  marks = true,
  progress = unwatched,
}: {
  printableAddress: PrintableAddress
  handlingInstruction?: HandlingInstruction | undefined
  pages: readonly LetterFile[]
  title: string
  at: Date
  plex?: Plex
  addressPlacement?: 'own-page' | 'first-page'
  documentId?: string | undefined
  marks?: boolean
  progress?: DocumentProgress
}): Promise<ComposedLetter> {
  const made = makeAddressBlock(printableAddress, handlingInstruction)
  if (made.kind === 'unprintable') return refuse(made.findings)

  const print = choosePrint(made, { marks, documentId })
  if (pages.length === 0) {
    const { pdf } = composeWithoutFiles({ ...print, title, at }, subsetFor(textsOf(print)))
    return { kind: 'composed', pdf, pages: 1, sheets: 1 }
  }
  const { block } = print
  const document = await PDFDocument.create({ updateMetadata: false })
  describe(document, { title, at })
  const font = addLetterFont(document.context, textsOf(print))

  const isOnFirstPage =
    addressPlacement === 'first-page' && pages[0]?.mediaType === 'application/pdf'
  if (!isOnFirstPage) addAddressPage(document, block, font)
  for (const [index, file] of pages.entries()) {
    progress.working(index, file.count)
    const findings = await addFile(document, file)
    if (findings.length > 0) return refuse(findings)
  }
  progress.workingOnLetter()
  const unreadable = [
    ...(isOnFirstPage && !drawAddressOnPage(document.getPage(0), block, font) ? [1] : []),
    ...(print.documentId
      ? addInsertionMarks(document, { documentId: print.documentId, plex, font })
      : []),
  ]
  return unreadable.length > 0 ? refuse(unreadable.map(unreadablePage)) : save(document, plex)
}

function unreadablePage(page: number): Finding {
  const detail = `The content of page ${page} of the letter is damaged and cannot be read.`
  return { rule: 'pdf-damaged', severity: 'refusal', page, detail }
}

function refuse(findings: readonly Finding[]): ComposedLetter {
  const fileId = findings[0]?.fileId
  const reason = commentOf(findings) ?? 'The letter cannot be composed.'
  return { kind: 'refused', ...(fileId !== undefined && { fileId }), reason, findings }
}

async function addFile(
  document: PDFDocument,
  { fileId, mediaType, bytes, document: opened }: LetterFile,
): Promise<Finding[]> {
  const findings =
    mediaType === 'application/pdf'
      ? await addPdf(document, opened ?? bytes)
      : await addImagePages(document, { bytes, mediaType })
  return findings.map((finding) => ({ ...finding, fileId }))
}

async function addPdf(document: PDFDocument, pdf: PDFDocument | Uint8Array): Promise<Finding[]> {
  const opened = pdf instanceof PDFDocument ? open(pdf) : await openPdf(pdf)
  if (opened.kind === 'unsound') return [damagedPdf(opened.reason)]
  try {
    return await addPdfPages(document, opened.document)
  } catch {
    return [damagedPdf('The PDF is damaged and its pages cannot be read.')]
  }
}

function open(document: PDFDocument) {
  return { kind: 'open', document } as const
}

function damagedPdf(detail: string): Finding {
  return { rule: 'pdf-damaged', severity: 'refusal', detail }
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

async function save(document: PDFDocument, plex: Plex): Promise<ComposedLetter> {
  const pages = document.getPageCount()
  const pdf = await savePdf(document)
  return { kind: 'composed', pdf, pages, sheets: countSheets(pages, plex) }
}

type OpenedPdf =
  | { kind: 'open'; document: PDFDocument; pages: number }
  | { kind: 'unsound'; reason: string }

/** Opens a PDF that is safe to open and print. Otherwise returns the first reason that refuses it. Never throws. */
async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  const { findings, pages, document } = await inspectPdf(bytes)
  return document
    ? { kind: 'open', document, pages }
    : { kind: 'unsound', reason: commentOf(findings) ?? 'The PDF cannot be printed.' }
}
