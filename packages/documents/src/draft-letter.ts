import { commentOf, type Finding } from '@despatch/domain/preflight/finding'
import { PDFDocument } from 'pdf-lib'
import { makeAddressBlock } from './address-block.ts'
import { addAddressPage, drawAddressOnPage } from './address-page.ts'
import {
  type DocumentFile,
  type DocumentProgress,
  type DocumentRequest,
  printsOnFirstPage,
  unwatched,
} from './document-request.ts'
import { addLetterFont } from './embed-font.ts'
import { addImagePages } from './images/image-pages.ts'
import { type InspectedContent, inspectContent } from './inspect-content.ts'
import { addNoticePage } from './notice-page.ts'
import { addPdfPages } from './pdf-pages.ts'
import { savePdf } from './save-pdf.ts'

/** Where a page of a letter comes from: a page of a file, from 1. Without a file it is a page that Despatch adds. */
export type PageOrigin = { fileId?: string; page: number }

type DraftLetter = { pdf: Uint8Array; origins: readonly PageOrigin[] }

/** A file whose bytes are not stored, and the finding about it. */
export type AbsentFile = { fileId: string; detail: string }

/**
 * Assembles what can be shown of a letter, refused or not, page by page as it would print. A page with a notice
 * replaces each file that must not be opened and an address that cannot be printed.
 */
export async function draftLetter(
  request: DocumentRequest,
  absent: readonly AbsentFile[] = [],
  progress: DocumentProgress = unwatched,
): Promise<DraftLetter> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const origins: PageOrigin[] = []
  const note = (fileId?: string) => {
    const from = origins.length
    for (let page = from; page < document.getPageCount(); page++) {
      origins.push({ ...(fileId !== undefined && { fileId }), page: page - from + 1 })
    }
  }

  const isOnFirstPage = printsOnFirstPage(request)
  if (request.production === 'letter' && !isOnFirstPage) drawAddress(document, request)
  note()
  for (const { fileId, detail } of absent) {
    addNoticePage(document, detail)
    note(fileId)
  }
  for (const [index, file] of request.files.entries()) {
    progress.working(index)
    const inspected = await inspectContent(file)
    progress.working(index, inspected.pages)
    await addContent(document, file, inspected)
    note(file.fileId)
    if (index === 0 && isOnFirstPage && inspected.openDocument) drawAddress(document, request)
  }
  return { pdf: await savePdf(document), origins }
}

/** On its own page in front, or on the first page if the letter has pages already. */
function drawAddress(document: PDFDocument, request: DocumentRequest): void {
  if (request.production !== 'letter') return
  const block = makeAddressBlock(request.printableAddress, request.handlingInstruction)
  const isFirst = document.getPageCount() === 0
  if (block.kind === 'unprintable') {
    if (isFirst) addNoticePage(document, sentenceOf(block.findings))
    return
  }
  const { deliveryPoint, ...lines } = block
  const printed = request.marks && deliveryPoint ? { ...lines, deliveryPoint } : lines
  const texts = [...block.handling, ...block.address].map(({ text }) => text)
  const font = addLetterFont(document.context, texts)
  if (isFirst) addAddressPage(document, printed, font)
  else drawAddressOnPage(document.getPage(0), printed, font)
}

async function addContent(
  document: PDFDocument,
  { fileId, mediaType, bytes }: DocumentFile,
  { findings, pages, openDocument }: InspectedContent,
): Promise<void> {
  if (pages === undefined) return void addNoticePage(document, sentenceOf(findings))
  if (mediaType === 'application/pdf') {
    if (openDocument) await addPdfPages(document, await openDocument())
    return
  }
  const faults = await addImagePages(document, { bytes, mediaType })
  if (faults.length > 0) addNoticePage(document, `File ${fileId}: ${sentenceOf(faults)}`)
}

function sentenceOf(findings: readonly Finding[]): string {
  return commentOf(findings) ?? 'This cannot be shown.'
}
