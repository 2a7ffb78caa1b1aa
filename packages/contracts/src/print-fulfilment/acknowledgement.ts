import { z } from 'zod'
import { list } from '../list.ts'
import { storedTime } from '../stored.ts'
import { customIssue, integer, text } from '../text.ts'
import { documentId, reason, reasonCode } from './answers.ts'

/** The most documents that a print run can have. */
export const documentsMax = 100_000
const countMax = 1_000_000_000

export const documentRefusalSchema = z.object({
  documentId,
  reasonCode,
  reason: reason.describe('Shown to the consumer. Must not contain personal information'),
})

export const runRefusalSchema = z.object({ reasonCode, reason })

const acknowledgementMembers = z.object({
  documentCount: integer({ min: 1, max: countMax }).describe(
    'Number of documents in the manifest, including refused ones',
  ),
  sheetCount: integer({ min: 1, max: countMax }),
  manifestDigest: text({ min: 64, max: 64, pattern: /^[0-9a-f]+$/ }).describe(
    'Digest that the provider computed',
  ),
  refusals: list(documentRefusalSchema, { max: documentsMax, unique: ['documentId'] })
    .exactOptional()
    .describe('Documents that the provider will not print. Their print jobs are rejected'),
  refusal: runRefusalSchema
    .exactOptional()
    .describe(
      'Use this when the whole run cannot be printed here and its documents are not the reason. An operator reassigns ' +
        'the run. No print job is rejected',
    ),
})

export const acknowledgementRequestSchema = acknowledgementMembers.check(({ value, issues }) => {
  if (!value.refusal || !value.refusals) return
  const message = 'must be left out when the whole run is refused'
  issues.push({ ...customIssue({ code: 'Invalid', message }, value.refusals), path: ['refusals'] })
})
export type AcknowledgementRequest = z.output<typeof acknowledgementRequestSchema>

export const acknowledgementResponseSchema = z.object({
  batchNumber: z.string(),
  state: z.enum(['ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED']),
  acceptedCount: z.number(),
  refusedCount: z.number(),
  acknowledgedAt: storedTime,
})
export type AcknowledgementResponse = z.output<typeof acknowledgementResponseSchema>

/** Returns why the provider refuses a whole run, as operators read it. */
export function runRefusal({ reasonCode, reason }: { reasonCode: string; reason: string }) {
  return `${reasonCode}: ${reason}`
}

/** Returns the comment of a print job whose document the provider refuses. */
export function refusalComment({ reasonCode, reason }: { reasonCode: string; reason: string }) {
  return `Refused by the print provider: ${reasonCode}: ${reason}`
}
