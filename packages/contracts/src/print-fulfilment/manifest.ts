import { postageOf } from '@despatch/domain/print-run/despatch-properties'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import {
  type ManifestDocument,
  type ManifestRun,
  type ManifestTotals,
  manifestDigestRule,
} from '@despatch/domain/print-run/manifest-digest'
import {
  estimateWeightGrams,
  type PrintedOn,
  weightBandOf,
} from '@despatch/domain/print-run/weight'
import { z } from 'zod'
import { count, number } from './answers.ts'
import { contentPath, documentsZipPath, printStreamPath, templateDataPath } from './paths.ts'
import { controlTotals, productionStream } from './print-run.ts'

export const fulfilmentJobSchema = z.object({
  fulfilmentJobId: z.string(),
  documentCount: number,
  sheetCount: number,
  firstSequence: number,
  lastSequence: number,
  documentsZip: z.string().describe('Path of a ZIP with all its files, each named by documentId'),
  printStream: z
    .string()
    .describe(
      'Path of one PDF with all its files in order of sequence. In a duplex run each document begins on a front side',
    ),
  templateData: z
    .string()
    .optional()
    .describe('Path of the custom parameters of the documents that have template data'),
})
export type FulfilmentJobResponse = z.output<typeof fulfilmentJobSchema>

/** A fulfilment job as stored. */
export type StoredFulfilmentJob = {
  fulfilmentJobId: string
  documentCount: number
  sheetCount: number
  firstSequence: number
  lastSequence: number
  /** True if the provider gets template data of some of its documents. */
  hasTemplateData: boolean
}

export const documentSchema = z.object({
  sequence: number.describe(
    'Ascending. A missing number belongs to a document that was withdrawn before the claim',
  ),
  documentId: z.string().describe('Short enough for a 2D mark'),
  fulfilmentJobId: z.string(),
  attempt: number.describe('Attempt number. A document is printed once for each attempt'),
  sheets: number,
  pages: number,
  weightGrams: z
    .number()
    .describe(
      'Estimated weight, with the paper and envelopes that the site reported before the run was released',
    ),
  weightBandGrams: count
    .optional()
    .describe('Upper end of its weight band. Absent above the last band'),
  plex: productionStream.plex,
  stationery: z.string(),
  despatchMethod: productionStream.despatchMethod,
  postageClass: z.string(),
  mailingProduct: z.string().describe('Mailing product, unless the provider reports another'),
  sha256: z.string().describe('SHA-256 of the file, in lower-case hexadecimal'),
  bytes: number,
  content: z.string().describe('Path of the file'),
})

/** The frozen list. Its digest can be recomputed from its contents, by the rule in it. */
export const manifestSchema = z
  .object({
    batchNumber: z.string(),
    manifestVersion: number,
    manifestDigest: z.string(),
    digestRule: z.string().describe('How manifestDigest is computed'),
    ...productionStream,
    printEpoch: count,
    expectedDespatchDate: z.iso.date().optional(),
    totals: z.object(controlTotals),
    fulfilmentJobs: z.array(fulfilmentJobSchema),
    documents: z.array(documentSchema).describe('In order of sequence'),
  })
  .describe(`manifestDigest: ${manifestDigestRule}`)

export type ManifestResponse = z.output<typeof manifestSchema>

export type StoredManifest = ManifestRun &
  ManifestTotals &
  PrintedOn & {
    manifestDigest: string
    format: MailFormat
    printEpoch: number
    expectedDespatchDate: string | null
  }

/**
 * Streams a manifest as JSON, so that memory does not grow with the length of the run. Requires the pages in order of
 * sequence.
 */
export async function* renderManifest(
  manifest: StoredManifest,
  fulfilmentJobs: readonly StoredFulfilmentJob[],
  pages: AsyncIterable<readonly ManifestDocument[]>,
): AsyncGenerator<string> {
  const head = {
    ...renderManifestRun(manifest),
    totals: renderTotals(manifest),
    fulfilmentJobs: fulfilmentJobs.map((job) => renderFulfilmentJob(job, manifest)),
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

/** Returns the run itself, without totals and lists, as every format shows it. */
export function renderManifestRun(manifest: StoredManifest) {
  const { expectedDespatchDate } = manifest
  return {
    batchNumber: manifest.batchNumber,
    manifestVersion: manifest.manifestVersion,
    manifestDigest: manifest.manifestDigest,
    digestRule: manifestDigestRule,
    printLocation: manifest.printLocation,
    despatchMethod: manifest.despatchMethod,
    format: manifest.format,
    stationery: manifest.stationery,
    plex: manifest.plex,
    colour: manifest.colour,
    printEpoch: manifest.printEpoch,
    ...(expectedDespatchDate !== null && { expectedDespatchDate }),
  }
}

export function renderTotals(manifest: StoredManifest) {
  const { documentCount, sheetCount, pageCount, byteCount } = manifest
  return { documentCount, sheetCount, pageCount, byteCount }
}

export function renderFulfilmentJob(
  { hasTemplateData, ...job }: StoredFulfilmentJob,
  { batchNumber }: StoredManifest,
): FulfilmentJobResponse {
  const { fulfilmentJobId } = job
  return {
    ...job,
    documentsZip: documentsZipPath(batchNumber, fulfilmentJobId),
    printStream: printStreamPath(batchNumber, fulfilmentJobId),
    ...(hasTemplateData && { templateData: templateDataPath(batchNumber, fulfilmentJobId) }),
  }
}

export function renderDocument(
  document: ManifestDocument,
  manifest: StoredManifest,
): z.output<typeof documentSchema> {
  const { batchNumber, plex, stationery, despatchMethod } = manifest
  const weightGrams = estimateWeightGrams(document.sheets, manifest)
  const weightBandGrams = weightBandOf(weightGrams)
  return {
    sequence: document.sequence,
    documentId: document.documentId,
    fulfilmentJobId: document.fulfilmentJobId,
    attempt: document.attempt,
    sheets: document.sheets,
    pages: document.pages,
    weightGrams,
    ...(weightBandGrams !== undefined && { weightBandGrams }),
    plex,
    stationery,
    despatchMethod,
    ...postageOf(despatchMethod),
    sha256: document.sha256,
    bytes: document.bytes,
    content: contentPath(batchNumber, document.documentId),
  }
}
