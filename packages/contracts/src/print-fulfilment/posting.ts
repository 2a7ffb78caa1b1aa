import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { mailFormats } from '@despatch/domain/print-run/mail-format'
import { z } from 'zod'
import { list } from '../list.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, integer, text } from '../text.ts'
import { documentsMax } from './acknowledgement.ts'
import { batchNumber, count, documentId, instant } from './answers.ts'
import { despatchProperties } from './despatch-property.ts'
import { serialNumber } from './item-event.ts'

/** The most print runs that one posting covers. */
const printRunsMax = 100
/** The most documents with details of their own. A larger posting must be split. */
export const postedDetailsMax = 10_000

const documentIds = z
  .array(documentId)
  .min(1)
  .max(documentsMax)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    value.forEach((id, index) => {
      if (seen.has(id)) {
        const repeat = { code: 'Duplicate', message: 'must be unique within the list' }
        issues.push({ ...customIssue(repeat, value), path: [index] })
      }
      seen.add(id)
    })
  })

export const postedDocumentSchema = z.object({
  documentId,
  serialNumber: serialNumber.exactOptional(),
  despatchProperties,
})

export const postedPrintRunSchema = z.object({
  batchNumber,
  documentIds: documentIds
    .exactOptional()
    .describe('Absent: all documents of the run that can be posted and are in no other posting'),
})

export const postedCountSchema = z.object({
  despatchMethod: z.enum(printRunDespatchMethods),
  format: z.enum(mailFormats),
  weightBandGrams: integer({ min: 1, max: 100_000 })
    .exactOptional()
    .describe('Upper end of the weight band, as the carrier weighed. Absent: all weights'),
  documentCount: integer({ min: 1, max: 1_000_000_000 }),
})

/** A carrier's count beside our estimate of it. */
export const weighedCountSchema = z.object({
  despatchMethod: z.enum(printRunDespatchMethods),
  format: z.enum(mailFormats),
  weightBandGrams: count
    .optional()
    .describe('Upper end of the weight band, as the carrier weighed. Absent: all weights'),
  documentCount: count,
  estimatedCount: count
    .optional()
    .describe('Documents in this weight band by our estimate. Absent without a weight band'),
})

const postingMembers = z.object({
  batchNumber: batchNumber
    .exactOptional()
    .describe('The print run, if the posting covers only one'),
  documentIds: documentIds
    .exactOptional()
    .describe('Absent: all documents of the run that can be posted and are in no other posting'),
  printRuns: list(postedPrintRunSchema, { max: printRunsMax, unique: ['batchNumber'] })
    .exactOptional()
    .describe(
      'The print runs, if the posting covers several. Replaces batchNumber and documentIds',
    ),
  carrier: text({ min: 1, max: 255 }),
  handoverAt: instant.describe('When the carrier took the post'),
  manifestNumber: text({ min: 1, max: 255 })
    .exactOptional()
    .describe('Number of the carrier manifest or docket'),
  counts: z
    .array(postedCountSchema)
    .min(1)
    .max(1_000)
    .exactOptional()
    .describe(
      "What the carrier counted. If a class has another number of documents than the posting covers, nothing is saved. The carrier's weight bands take precedence over our estimate",
    ),
  despatchProperties,
  documents: list(postedDocumentSchema, { max: postedDetailsMax, unique: ['documentId'] })
    .exactOptional()
    .describe('Details that apply to single documents'),
})

/**
 * Names one print run or several. If the posting names its documents, a document with details of its own must be one of
 * them.
 */
export const postingRequestSchema = postingMembers.check(({ value, issues }) => {
  const fault = (path: PropertyKey[], code: string, message: string) =>
    issues.push({ ...customIssue({ code, message }, value), path })
  if ((value.batchNumber === undefined) === (value.printRuns === undefined)) {
    fault(['batchNumber'], 'NotNull', 'must be given unless printRuns is, and not with it')
  }
  if (value.printRuns && value.documentIds) {
    fault(['documentIds'], 'Invalid', 'must be left out with printRuns, which name their own')
  }
  const runs = value.printRuns ?? [value]
  if (runs.some(({ documentIds }) => documentIds === undefined)) return
  const covered = new Set(runs.flatMap(({ documentIds = [] }) => documentIds))
  value.documents?.forEach((document, index) => {
    if (covered.has(document.documentId)) return
    fault(['documents', index, 'documentId'], 'NotFound', 'must be one of documentIds')
  })
})
export type PostingRequest = z.output<typeof postingRequestSchema>

export const postingEvidenceSchema = z.object({
  evidenceId: z.uuid(),
  fileName: z.string(),
  mediaType: z.string(),
  createdAt: storedTime,
})

export const postingResponseSchema = z.object({
  postingId: z.string(),
  batchNumber: ifKnown(z.string()).describe('Present if the posting covers one print run'),
  printRuns: z.array(
    z.object({ batchNumber: z.string(), documentCount: count, sheetCount: count }),
  ),
  state: z.enum(['SAVED', 'CONFIRMED']),
  carrier: z.string(),
  handoverAt: storedTime,
  manifestNumber: ifKnown(z.string()),
  documentCount: count,
  sheetCount: count,
  counts: ifKnown(z.array(weighedCountSchema)).describe(
    'What the carrier counted, beside our estimate. Absent: nothing was reported',
  ),
  evidence: z.array(postingEvidenceSchema),
  createdAt: storedTime,
  confirmedAt: ifKnown(storedTime),
})
export type PostingResponse = z.output<typeof postingResponseSchema>

/** The most uploads that one posting can have addresses for. */
export const evidenceMax = 20

/** The largest piece of evidence whose size is declared, in bytes. */
export const evidenceBytesMax = 10 * 1024 * 1024

export const evidenceRequestSchema = z.object({
  fileName: text({ min: 1, max: 255, pattern: /^[\w .()-]+$/ }),
  mediaType: z.enum(['application/pdf', 'image/jpeg', 'image/png', 'text/csv']),
  bytes: integer({ min: 1, max: evidenceBytesMax })
    .optional()
    .describe('Size of the file. The URL then accepts exactly this number of bytes'),
})

export const evidenceResponseSchema = z.object({
  evidenceId: z.uuid(),
  uploadUrl: z.string().describe('PUT the raw bytes to this URL, without credentials'),
  expiresAt: storedTime,
})
