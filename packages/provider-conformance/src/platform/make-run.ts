import { PDFDocument, StandardFonts } from 'pdf-lib'
import { sha256 } from '../fingerprint.ts'
import type { PlatformDocument, PlatformRun } from './platform-run.ts'
import { despatchMethod, format } from './stream.ts'

export type RunPlan = {
  batchNumber: string
  documentCount: number
}

const jobDocuments = 3
const a4 = [595.28, 841.89] as const

/** Returns an unclaimed run with real PDF files of one to three pages, in duplex. */
export async function makeRun(
  { batchNumber, documentCount }: RunPlan,
  { now }: { now: Date },
): Promise<PlatformRun> {
  const documents: PlatformDocument[] = []
  for (let sequence = 1; sequence <= documentCount; sequence++) {
    documents.push(await makeDocument(batchNumber, sequence))
  }
  return {
    batchNumber,
    printLocation: 'CONFORMANCE',
    despatchMethod,
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: false,
    format,
    printEpoch: 1,
    releasedAt: now,
    manifestVersion: 1,
    documents,
    isOffered: true,
    quirks: {},
    claims: new Map(),
    events: new Map(),
    reprints: [],
    recalls: [],
  }
}

async function makeDocument(batchNumber: string, sequence: number): Promise<PlatformDocument> {
  const documentId = `${batchNumber}-${String(sequence).padStart(4, '0')}`
  const pages = 1 + (sequence % 3)
  const file = await makePdf(documentId, pages)
  return {
    sequence,
    documentId,
    fulfilmentJobId: `${batchNumber}-J${Math.ceil(sequence / jobDocuments)}`,
    attempt: 1,
    sheets: Math.ceil(pages / 2),
    pages,
    bytes: file.byteLength,
    sha256: sha256(file),
    file,
    isWithdrawn: false,
    standing: { firstAttempt: 1, attempt: 1, progress: null, outcome: null },
  }
}

async function makePdf(documentId: string, pages: number): Promise<Uint8Array> {
  const pdf = await PDFDocument.create()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++) {
    pdf.addPage([...a4]).drawText(`Conformance document ${documentId}, page ${page} of ${pages}`, {
      x: 72,
      y: 700,
      size: 12,
      font,
    })
  }
  return pdf.save()
}
