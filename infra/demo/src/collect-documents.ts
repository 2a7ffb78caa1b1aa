import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import type { LetterProgress } from './letter-progress.ts'
import {
  type FetchedDocument,
  fetchDocument,
  type Manifest,
  readManifest,
} from './users/provider.ts'
import type { Session } from './users/session.ts'

export type CollectedDocument = FetchedDocument & { isPdf: boolean; pagesFound: number }
export type OutputFile = { name: string; bytes: Uint8Array }
export type PrintRun = { manifest: Manifest; documents: CollectedDocument[] }

/** Acts as the provider: reads the manifests of the letters' print runs and fetches every document in them. */
export async function collectDocuments(
  session: Session,
  letters: readonly LetterProgress[],
  signal: AbortSignal,
): Promise<PrintRun[]> {
  const batchNumbers = new Set(letters.flatMap(({ job }) => job?.batchNumber ?? []))
  const printRuns: PrintRun[] = []
  for (const batchNumber of [...batchNumbers].sort()) {
    const manifest = await readManifest(session, batchNumber)
    const documents: CollectedDocument[] = []
    for (const listed of manifest.documents) {
      documents.push(await inspect(await fetchDocument(session, listed, signal)))
    }
    printRuns.push({ manifest, documents })
  }
  return printRuns
}

async function inspect(document: FetchedDocument): Promise<CollectedDocument> {
  const isPdf = Buffer.from(document.pdf.subarray(0, 4)).toString('latin1') === '%PDF'
  const opened = isPdf ? await PDFDocument.load(document.pdf, { updateMetadata: false }) : undefined
  return { ...document, isPdf, pagesFound: opened?.getPageCount() ?? 0 }
}

/** Writes the composed letters, the manifests, the callbacks and other files into the folder. */
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

  for (const { manifest, documents } of printRuns) {
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
