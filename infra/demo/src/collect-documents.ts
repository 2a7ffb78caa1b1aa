import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManifestResponse } from '@despatch/contracts/print-fulfilment/manifest'
import type { ReconciliationResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { PDFDocument } from 'pdf-lib'
import type { LetterProgress } from './letter-progress.ts'
import {
  type FetchedDocument,
  fetchDocument,
  fetchPrintStream,
  readFinalReconciliation,
  readManifest,
} from './users/provider.ts'
import type { Session } from './users/session.ts'

export type CollectedDocument = FetchedDocument & { isPdf: boolean; pagesFound: number }
export type OutputFile = { name: string; bytes: Uint8Array }
export type PrintRun = {
  manifest: ManifestResponse
  documents: CollectedDocument[]
  account: ReconciliationResponse
  printStream: PrintStream
}
/** All documents of the first fulfilment job of a print run, as one PDF. */
export type PrintStream = {
  fulfilmentJobId: string
  pdf: Uint8Array
  pages: number
  sheetsOfManifest: number
}

/** Acts as the provider: waits until the letters' print runs are closed, then fetches their contents. */
export async function collectDocuments(
  session: Session,
  letters: readonly LetterProgress[],
  signal: AbortSignal,
): Promise<PrintRun[]> {
  const batchNumbers = new Set(letters.flatMap(({ job }) => job?.batchNumber ?? []))
  const printRuns: PrintRun[] = []
  for (const batchNumber of [...batchNumbers].sort()) {
    const account = await readFinalReconciliation(session, batchNumber, signal)
    const manifest = await readManifest(session, batchNumber)
    const documents: CollectedDocument[] = []
    for (const listed of manifest.documents) {
      documents.push(await inspect(await fetchDocument(session, listed, signal)))
    }
    printRuns.push({
      manifest,
      documents,
      account,
      printStream: await collectPrintStream(session, manifest),
    })
  }
  return printRuns
}

async function collectPrintStream(
  session: Session,
  { batchNumber, fulfilmentJobs }: ManifestResponse,
): Promise<PrintStream> {
  const [job] = fulfilmentJobs
  if (!job) throw new Error(`print run ${batchNumber} has no fulfilment job`)
  const pdf = await fetchPrintStream(session, job)
  const opened = await PDFDocument.load(pdf, { updateMetadata: false })
  return {
    fulfilmentJobId: job.fulfilmentJobId,
    pdf,
    pages: opened.getPageCount(),
    sheetsOfManifest: job.sheetCount,
  }
}

async function inspect(document: FetchedDocument): Promise<CollectedDocument> {
  const isPdf = Buffer.from(document.pdf.subarray(0, 4)).toString('latin1') === '%PDF'
  const opened = isPdf ? await PDFDocument.load(document.pdf, { updateMetadata: false }) : undefined
  return { ...document, isPdf, pagesFound: opened?.getPageCount() ?? 0 }
}

/**
 * Writes the composed letters, the manifests and reconciliations of print runs, a print stream of each, the callbacks
 * and other files to the directory.
 */
export async function writeOutput(
  directory: string,
  letters: readonly LetterProgress[],
  printRuns: readonly PrintRun[],
  others: readonly OutputFile[],
): Promise<void> {
  await mkdir(directory, { recursive: true })
  const write = (name: string, content: string | Uint8Array) =>
    writeFile(join(directory, name), content)
  const writeJson = (name: string, value: unknown) =>
    write(name, `${JSON.stringify(value, null, 2)}\n`)

  for (const { manifest, documents, account, printStream } of printRuns) {
    await write(`print-stream-${printStream.fulfilmentJobId}.pdf`, printStream.pdf)
    await writeJson(`reconciliation-${manifest.batchNumber}.json`, account)
    await writeJson(`manifest-${manifest.batchNumber}.json`, manifest)
    for (const { documentId, pdf } of documents) {
      const letter = letters.find(({ job }) => job?.documentId === documentId)?.letter
      if (letter) await write(letter.fileName, pdf)
    }
  }
  for (const { name, bytes } of others) await write(name, bytes)
  await writeJson(
    'callbacks.json',
    letters.flatMap(({ callbacks }) => callbacks),
  )
}
