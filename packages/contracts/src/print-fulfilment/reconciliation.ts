import { z } from 'zod'
import { count, cursor, nextCursor, number, pageLimit } from './answers.ts'

const accountMembers = {
  expected: count.describe('Documents that were claimed'),
  despatched: count,
  refused: count,
  failed: count,
  recalled: count,
  missing: count.describe('expected without the others: nobody can say their end'),
}

export const reconciliationSchema = z.object({
  batchNumber: z.string(),
  state: z.string(),
  ...accountMembers,
  reprints: count.describe('Further attempts that were authorised'),
  waitingReprints: count,
  isBalanced: z.boolean(),
  missingDocuments: z
    .array(
      z.object({
        documentId: z.string(),
        sequence: number,
        attempt: number,
        progress: z.enum(['NONE', 'FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED']),
        isPosted: z.boolean().describe('In a posting that is not confirmed'),
      }),
    )
    .describe('In order of sequence'),
  nextCursor,
})
export type ReconciliationResponse = z.output<typeof reconciliationSchema>

export const reconciliationQuerySchema = z.object({ cursor, limit: pageLimit(1_000) })

export const closeResponseSchema = z.object({
  batchNumber: z.string(),
  state: z.literal('CLOSED'),
  ...accountMembers,
  closedAt: z.iso.datetime(),
})
export type CloseResponse = z.output<typeof closeResponseSchema>
