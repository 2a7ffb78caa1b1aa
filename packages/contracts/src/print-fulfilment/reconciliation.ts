import type { DocumentProgress } from '@despatch/domain/print-run/document-progress'
import {
  missingCount,
  type PrintRunState,
  type ReconciliationCounts,
} from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { storedTime } from '../stored.ts'
import { count, cursor, nextCursor, number, pageLimit } from './answers.ts'

const countMembers = {
  expected: count.describe('Number of documents that were claimed'),
  despatched: count,
  refused: count,
  failed: count,
  recalled: count,
  missing: count.describe(
    'expected minus despatched, refused, failed and recalled. The outcome of these documents is not known',
  ),
}

export const reconciliationSchema = z.object({
  batchNumber: z.string(),
  state: z.string(),
  ...countMembers,
  reprints: count.describe('Number of further attempts that were authorised'),
  waitingReprints: count,
  isBalanced: z.boolean(),
  missingDocuments: z
    .array(
      z.object({
        documentId: z.string(),
        sequence: number,
        attempt: number,
        progress: z.enum(['NONE', 'FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED']),
        isPosted: z.boolean().describe('The document is in a posting that is not confirmed'),
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
  ...countMembers,
  closedAt: storedTime,
})
export type CloseResponse = z.output<typeof closeResponseSchema>

export type FoundReconciliation = {
  batchNumber: string
  state: PrintRunState
  account: ReconciliationCounts
  reprints: number
  waitingReprints: number
  /** In order of sequence. One item more than the page means that another page follows. */
  unaccounted: readonly {
    documentId: string
    sequence: number
    attempt: number
    progress: DocumentProgress | null
    postingId: string | null
  }[]
}

export function renderReconciliation(
  found: FoundReconciliation,
  pageDocuments: number,
): ReconciliationResponse {
  const { batchNumber, state, account, reprints, waitingReprints, unaccounted } = found
  const page = unaccounted.slice(0, pageDocuments)
  const hasMore = unaccounted.length > page.length
  return {
    batchNumber,
    state,
    ...renderCounts(account),
    reprints,
    waitingReprints,
    isBalanced: missingCount(account) === 0,
    missingDocuments: page.map(({ documentId, sequence, attempt, progress, postingId }) => ({
      documentId,
      sequence,
      attempt,
      progress: progress ?? 'NONE',
      isPosted: postingId !== null,
    })),
    ...(hasMore && { nextCursor: String(page.at(-1)!.sequence) }),
  }
}

export function renderCounts(account: ReconciliationCounts) {
  const { expected, despatched, refused, failed, recalled } = account
  return { expected, despatched, refused, failed, recalled, missing: missingCount(account) }
}
