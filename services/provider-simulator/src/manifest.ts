import { createHash } from 'node:crypto'

export type Manifest = {
  batchNumber: string
  manifestVersion: number
  manifestDigest: string
  printLocation: string
  despatchMethod: string
  format?: string
  stationery: string
  plex: string
  colour: boolean
  totals: { documentCount: number; sheetCount: number; pageCount: number; byteCount: number }
  documents: readonly ManifestDocument[]
}

export type ManifestDocument = {
  sequence: number
  documentId: string
  fulfilmentJobId: string
  attempt: number
  sheets: number
  pages: number
  bytes: number
  sha256: string
  content: string
}

/** Throws unless the totals of the manifest match its documents, and its digest matches its content. */
export function checkManifest(manifest: Manifest): void {
  const { batchNumber, totals, documents } = manifest
  const found = {
    documentCount: documents.length,
    sheetCount: sum(documents.map(({ sheets }) => sheets)),
    pageCount: sum(documents.map(({ pages }) => pages)),
    byteCount: sum(documents.map(({ bytes }) => bytes)),
  }
  for (const [name, count] of Object.entries(found)) {
    if (totals[name as keyof typeof found] === count) continue
    throw new Error(`Manifest of ${batchNumber}: ${name} does not match its documents`)
  }
  if (digestOf(manifest) !== manifest.manifestDigest) {
    throw new Error(`Manifest of ${batchNumber}: the digest does not match its content`)
  }
}

/** Computes the digest by the rule that the manifest carries as `digestRule`. */
export function digestOf(manifest: Manifest): string {
  const { batchNumber, printLocation, despatchMethod, stationery, plex, colour } = manifest
  const { documentCount, sheetCount, pageCount, byteCount } = manifest.totals
  const lines = [
    ['manifest-1', batchNumber, printLocation, despatchMethod, stationery, plex, colour],
    ...manifest.documents.map((document) => [
      document.sequence,
      document.documentId,
      document.fulfilmentJobId,
      document.attempt,
      document.sheets,
      document.pages,
      document.bytes,
      document.sha256,
    ]),
    [manifest.manifestVersion, documentCount, sheetCount, pageCount, byteCount],
  ]
  const hash = createHash('sha256')
  for (const members of lines) hash.update(`${members.join('|')}\n`)
  return hash.digest('hex')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
