import { z } from 'zod'
import { count, documentId, instant } from '../print-fulfilment/answers.ts'
import { customIssue, text } from '../text.ts'
import { reason } from './print-run.ts'

const postedAtOnceMax = 5_000

export const postInSteadSchema = z
  .object({
    postingKey: z
      .uuid()
      .describe(
        'Chosen by the caller and kept before the call: a repeat with it gets the same answer',
      ),
    documentIds: z
      .array(documentId)
      .min(1)
      .max(postedAtOnceMax)
      .exactOptional()
      .describe('Documents that were handed over; instead of all'),
    all: z
      .literal(true, 'must be true, or left out with documentIds')
      .exactOptional()
      .describe('Every document of the print run that is missing'),
    carrier: text({ min: 1, max: 255 }),
    handoverAt: instant.describe('When the carrier took the post, after the print run was claimed'),
    manifestNumber: text({ min: 1, max: 255 })
      .exactOptional()
      .describe('Number of the manifest or docket of the carrier'),
    reason: reason.describe(
      'How you know. Stands in the timelines of the print jobs, which their consumers read. No personal information',
    ),
  })
  .check(({ value, issues }) => {
    if ((value.documentIds === undefined) !== (value.all === undefined)) return
    const message = 'must be given unless all is true, and not with it'
    issues.push({ ...customIssue({ code: 'NotNull', message }, value), path: ['documentIds'] })
  })
export type PostInSteadRequest = z.input<typeof postInSteadSchema>

export const postedInSteadSchema = z.object({
  postingId: z.uuid(),
  batchNumber: z.string(),
  providerId: z.string(),
  carrier: z.string(),
  handoverAt: z.iso.datetime(),
  manifestNumber: z.string().optional(),
  documentCount: count,
  sheetCount: count,
  confirmedAt: z.iso.datetime(),
})
export type PostedInSteadResponse = z.output<typeof postedInSteadSchema>

export type PostedInStead = {
  postingId: string
  batchNumber: string
  providerId: string
  carrier: string
  handoverAt: Date
  manifestNumber: string | null
  documentCount: number
  sheetCount: number
  confirmedAt: Date | null
}

export function renderPostedInStead(posting: PostedInStead): PostedInSteadResponse {
  const { postingId, batchNumber, providerId, carrier, manifestNumber } = posting
  const { documentCount, sheetCount, handoverAt, confirmedAt } = posting
  return {
    postingId,
    batchNumber,
    providerId,
    carrier,
    handoverAt: handoverAt.toISOString(),
    ...(manifestNumber !== null && { manifestNumber }),
    documentCount,
    sheetCount,
    confirmedAt: confirmedAt!.toISOString(),
  }
}
