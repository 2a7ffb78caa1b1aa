import {
  type ManifestDocument,
  type ManifestRun,
  type ManifestTotals,
  manifestDigestRule,
} from '@despatch/domain/print-run/manifest-digest'
import { estimateWeightGrams } from '@despatch/domain/print-run/sheet-weight'
import { z } from 'zod'
import { contentPath } from './paths.ts'
import { controlTotals, productionStream } from './print-run.ts'

const number = z.number().meta({ type: 'integer', minimum: 1 })

const fulfilmentJobSchema = z.object({
  fulfilmentJobId: z.string(),
  documentCount: number,
  sheetCount: number,
  firstSequence: number,
  lastSequence: number,
})
export type FulfilmentJobResponse = z.output<typeof fulfilmentJobSchema>

const documentSchema = z.object({
  sequence: number.describe('Rises; a number that is not there was withdrawn before the claim'),
  documentId: z.string().describe('Short enough for a 2D mark'),
  fulfilmentJobId: z.string(),
  attempt: number.describe('A document is printed once for each attempt'),
  sheets: number,
  pages: number,
  weightGrams: z.number().describe('An estimate: sheets of 80 g/m² and an envelope'),
  plex: productionStream.plex,
  despatchMethod: productionStream.despatchMethod,
  sha256: z.string().describe('Of the file, in lower-case hexadecimal'),
  bytes: number,
  content: z.string().describe('Path of the file'),
})

/** The frozen list. Its digest can be computed again from what is in it, by the rule that it carries. */
export const manifestSchema = z
  .object({
    batchNumber: z.string(),
    manifestVersion: number,
    manifestDigest: z.string(),
    digestRule: z.string().describe('How manifestDigest is computed'),
    ...productionStream,
    totals: z.object(controlTotals),
    fulfilmentJobs: z.array(fulfilmentJobSchema),
    documents: z.array(documentSchema).describe('In order of sequence'),
  })
  .describe(`manifestDigest: ${manifestDigestRule}`)

export type StoredManifest = ManifestRun & ManifestTotals & { manifestDigest: string }

/**
 * Writes a manifest piece by piece, so that a run of any length takes no memory. The pages come in order of sequence.
 */
export async function* renderManifest(
  manifest: StoredManifest,
  fulfilmentJobs: readonly FulfilmentJobResponse[],
  pages: AsyncIterable<readonly ManifestDocument[]>,
): AsyncGenerator<string> {
  const { documentCount, sheetCount, pageCount, byteCount } = manifest
  const head = {
    batchNumber: manifest.batchNumber,
    manifestVersion: manifest.manifestVersion,
    manifestDigest: manifest.manifestDigest,
    digestRule: manifestDigestRule,
    printLocation: manifest.printLocation,
    despatchMethod: manifest.despatchMethod,
    stationery: manifest.stationery,
    plex: manifest.plex,
    colour: manifest.colour,
    totals: { documentCount, sheetCount, pageCount, byteCount },
    fulfilmentJobs,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"documents":[`
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    const documents = page.map((document) => JSON.stringify(renderDocument(document, manifest)))
    yield separator + documents.join(',\n')
    separator = ',\n'
  }
  yield ']}'
}

function renderDocument(
  document: ManifestDocument,
  { batchNumber, plex, despatchMethod }: StoredManifest,
): z.output<typeof documentSchema> {
  return {
    sequence: document.sequence,
    documentId: document.documentId,
    fulfilmentJobId: document.fulfilmentJobId,
    attempt: document.attempt,
    sheets: document.sheets,
    pages: document.pages,
    weightGrams: estimateWeightGrams(document.sheets),
    plex,
    despatchMethod,
    sha256: document.sha256,
    bytes: document.bytes,
    content: contentPath(batchNumber, document.documentId),
  }
}
