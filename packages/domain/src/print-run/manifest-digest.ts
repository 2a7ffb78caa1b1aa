import type { PrintRunDespatchMethod } from './despatch-method.ts'

export type ManifestRun = {
  batchNumber: string
  printLocation: string
  despatchMethod: PrintRunDespatchMethod
  stationery: string
  plex: 'simplex' | 'duplex'
  colour: boolean
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
}

export type ManifestTotals = {
  /** 1, plus one for each document withdrawn between the release and the claim. */
  manifestVersion: number
  documentCount: number
  sheetCount: number
  pageCount: number
  byteCount: number
}

/** The rule below in words, as given to providers. They compute the digest from the manifest that they have read. */
export const manifestDigestRule = [
  'SHA-256, in lower-case hexadecimal, of UTF-8 text in which every line ends with a line feed and members are joined by a vertical bar.',
  'First line: the text manifest-1, batchNumber, printLocation, despatchMethod, stationery, plex, colour (true or false).',
  'Then a line for each document in order of sequence: sequence, documentId, fulfilmentJobId, attempt, sheets, pages, bytes, sha256.',
  'Last line: manifestVersion, then documentCount, sheetCount, pageCount, byteCount of the totals.',
].join(' ')

export function manifestRunLine(run: ManifestRun): string {
  return line([
    'manifest-1',
    run.batchNumber,
    run.printLocation,
    run.despatchMethod,
    run.stationery,
    run.plex,
    run.colour,
  ])
}

export function manifestDocumentLine(document: ManifestDocument): string {
  return line([
    document.sequence,
    document.documentId,
    document.fulfilmentJobId,
    document.attempt,
    document.sheets,
    document.pages,
    document.bytes,
    document.sha256,
  ])
}

export function manifestTotalsLine(totals: ManifestTotals): string {
  return line([
    totals.manifestVersion,
    totals.documentCount,
    totals.sheetCount,
    totals.pageCount,
    totals.byteCount,
  ])
}

function line(members: readonly (string | number | boolean)[]): string {
  return `${members.join('|')}\n`
}
