import type { ThreadTask } from '@despatch/composer/threads'
import type { DocumentRequest } from '@despatch/documents/document-request'
import { PDFDocument, type PDFPage, StandardFonts } from 'pdf-lib'
import type { Made, PartTask } from './part-worker.ts'

const a4 = { width: 595.28, height: 841.89 }
const addressAt = { x: 85, y: 700, size: 10, lineHeight: 12 }

/**
 * Makes the same letter with pdf-lib alone: loads its files, draws the address and saves the whole. It judges nothing,
 * prints no marks, and uses a built-in font without Welsh and Central European characters.
 */
export default async function makeInThread({ task }: ThreadTask<PartTask>): Promise<Made> {
  const { request } = task
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const { x, y, size, lineHeight } = addressAt
  const page = document.addPage([a4.width, a4.height])
  for (const [index, line] of addressLines(request).entries()) {
    page.drawText(line, { x, y: y - index * lineHeight, size, font })
  }
  for (const { mediaType, bytes } of request.files) {
    if (mediaType === 'application/pdf') await addPdf(document, bytes)
    else drawPicture(document.addPage([a4.width, a4.height]), await document.embedJpg(bytes))
  }
  return { pages: document.getPageCount(), pdf: await document.save() }
}

async function addPdf(document: PDFDocument, bytes: Uint8Array): Promise<void> {
  const source = await PDFDocument.load(bytes)
  for (const page of await document.copyPages(source, source.getPageIndices())) {
    document.addPage(page)
  }
}

function drawPicture(page: PDFPage, image: Awaited<ReturnType<PDFDocument['embedJpg']>>): void {
  const { width, height } = image.scaleToFit(a4.width - 40, a4.height - 40)
  page.drawImage(image, { x: 20, y: 20, width, height })
}

function addressLines(request: DocumentRequest): string[] {
  if (request.production === 'as-supplied') return []
  const { recipientLine1, line1, line5, postcode } = request.printableAddress
  return [recipientLine1, line1, line5, postcode].filter((line) => line !== undefined)
}
