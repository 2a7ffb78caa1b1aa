import type { ManifestDocument } from '@despatch/domain/print-run/manifest-digest'
import { stringify } from 'csv-stringify/sync'
import { renderDocument, type StoredFulfilmentJob, type StoredManifest } from './manifest.ts'

/** What a provider reads about each document and its run. */
const columns = [
  'batchNumber',
  'printLocation',
  'fulfilmentJobId',
  'sequence',
  'documentId',
  'attempt',
  'sheets',
  'pages',
  'plex',
  'colour',
  'stationery',
  'format',
  'despatchMethod',
  'postageClass',
  'mailingProduct',
  'weightGrams',
  'weightBandGrams',
  'sha256',
  'bytes',
  'content',
]

/**
 * Renders the documents of a manifest as CSV (RFC 4180) with a header line. It contains neither totals nor fulfilment
 * jobs.
 */
export async function* renderManifestCsv(
  manifest: StoredManifest,
  _fulfilmentJobs: readonly StoredFulfilmentJob[],
  pages: AsyncIterable<readonly ManifestDocument[]>,
): AsyncGenerator<string> {
  const { batchNumber, printLocation, colour, format } = manifest
  const run = { batchNumber, printLocation, colour: String(colour), format }
  yield lines([columns])
  for await (const page of pages) {
    yield lines(page.map((document) => ({ ...run, ...renderDocument(document, manifest) })))
  }
}

function lines(records: readonly object[]): string {
  return stringify([...records], { columns, record_delimiter: 'windows' })
}
