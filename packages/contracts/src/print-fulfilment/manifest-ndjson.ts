import type { ManifestDocument } from '@despatch/domain/print-run/manifest-digest'
import {
  renderDocument,
  renderFulfilmentJob,
  renderManifestRun,
  renderTotals,
  type StoredFulfilmentJob,
  type StoredManifest,
} from './manifest.ts'

/**
 * Renders a manifest as NDJSON: the run, its fulfilment jobs, its documents and the totals, one object per line, each
 * with its type. The totals come last, so that a truncated list is noticed.
 */
export async function* renderManifestNdjson(
  manifest: StoredManifest,
  fulfilmentJobs: readonly StoredFulfilmentJob[],
  pages: AsyncIterable<readonly ManifestDocument[]>,
): AsyncGenerator<string> {
  yield line('printRun', renderManifestRun(manifest))
  yield fulfilmentJobs
    .map((job) => line('fulfilmentJob', renderFulfilmentJob(job, manifest)))
    .join('')
  for await (const page of pages) {
    yield page.map((document) => line('document', renderDocument(document, manifest))).join('')
  }
  yield line('totals', renderTotals(manifest))
}

function line(type: string, members: object): string {
  return `${JSON.stringify({ type, ...members })}\n`
}
