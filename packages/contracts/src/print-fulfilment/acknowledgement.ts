import type { AcknowledgedState } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { list } from '../list.ts'
import { integer, text } from '../text.ts'

/** As many as a print run can have. */
export const documentsMax = 100_000
const countMax = 1_000_000_000

const refusal = z.object({
  documentId: text({ min: 1, max: 50 }),
  reasonCode: text({ min: 1, max: 50, pattern: /^[A-Za-z0-9_.-]+$/ }),
  reason: text({ min: 1, max: 200 }).describe('Told to the consumer: no personal information'),
})

export const acknowledgementRequestSchema = z.object({
  documentCount: integer({ min: 1, max: countMax }).describe('All of the manifest, refused or not'),
  sheetCount: integer({ min: 1, max: countMax }),
  manifestDigest: text({ min: 64, max: 64, pattern: /^[0-9a-f]+$/ }).describe(
    'As the provider computed it',
  ),
  refusals: list(refusal, { max: documentsMax, unique: ['documentId'] })
    .exactOptional()
    .describe('Documents that will not be printed; their print jobs are rejected'),
})
export type AcknowledgementRequest = z.output<typeof acknowledgementRequestSchema>

export const acknowledgementResponseSchema = z.object({
  batchNumber: z.string(),
  state: z.enum(['ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED']),
  acceptedCount: z.number(),
  refusedCount: z.number(),
  acknowledgedAt: z.iso.datetime(),
})
export type AcknowledgementResponse = z.output<typeof acknowledgementResponseSchema>

export function renderAcknowledgement(run: {
  batchNumber: string
  state: AcknowledgedState
  acceptedCount: number
  refusedCount: number
  acknowledgedAt: Date
}): AcknowledgementResponse {
  return { ...run, acknowledgedAt: run.acknowledgedAt.toISOString() }
}

/** The comment of a print job whose document is refused. */
export function refusalComment({ reasonCode, reason }: { reasonCode: string; reason: string }) {
  return `Refused by the print provider: ${reasonCode}: ${reason}`
}
