import {
  renderManifest,
  type StoredFulfilmentJob,
  type StoredManifest,
} from '@despatch/contracts/print-fulfilment/manifest'
import { renderManifestCsv } from '@despatch/contracts/print-fulfilment/manifest-csv'
import type { ManifestFormat } from '@despatch/contracts/print-fulfilment/manifest-format'
import { renderManifestNdjson } from '@despatch/contracts/print-fulfilment/manifest-ndjson'
import {
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from '@despatch/domain/print-run/manifest-digest'
import { sha256 } from '../fingerprint.ts'
import { liveDocuments, type PlatformRun, totalsOf } from './platform-run.ts'

export function manifestOf(run: PlatformRun): StoredManifest {
  const documents = liveDocuments(run)
  const totals = { manifestVersion: run.manifestVersion, ...totalsOf(documents) }
  const text = [
    manifestRunLine(run),
    ...documents.map(manifestDocumentLine),
    manifestTotalsLine(totals),
  ].join('')
  return { ...run, ...totals, manifestDigest: sha256(text), expectedDespatchDate: null }
}

function fulfilmentJobsOf(run: PlatformRun): StoredFulfilmentJob[] {
  const jobs = Map.groupBy(liveDocuments(run), ({ fulfilmentJobId }) => fulfilmentJobId)
  return [...jobs].map(([fulfilmentJobId, documents]) => ({
    fulfilmentJobId,
    documentCount: documents.length,
    sheetCount: totalsOf(documents).sheetCount,
    firstSequence: documents[0]!.sequence,
    lastSequence: documents.at(-1)!.sequence,
    hasTemplateData: false,
  }))
}

const renderIn = { json: renderManifest, ndjson: renderManifestNdjson, csv: renderManifestCsv }

/**
 * Returns the manifest as one text. A case may require it to be corrupted: then the colour is wrong, which only the
 * digest reveals.
 */
export async function renderManifestText(
  run: PlatformRun,
  { format, isCorrupted }: { format: ManifestFormat; isCorrupted: boolean },
): Promise<string> {
  const manifest = manifestOf(run)
  const told = isCorrupted ? { ...manifest, colour: !manifest.colour } : manifest
  async function* pages() {
    yield liveDocuments(run)
  }
  let text = ''
  for await (const piece of renderIn[format](told, fulfilmentJobsOf(run), pages())) text += piece
  return text
}
