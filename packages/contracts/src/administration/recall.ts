import { recallStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { batchNumber, count, documentId } from '../print-fulfilment/answers.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { agreedCount, confirmed, requireOneOf } from './document-choice.ts'
import { reason } from './print-run.ts'

export const recallSchema = z.object({
  recallId: z.uuid(),
  batchNumber: z.string(),
  providerId: z.string(),
  state: z.enum(recallStates),
  reason: z.string(),
  documentCount: count,
  recalledCount: count,
  tooLateCount: count.describe('Number of documents whose letters had already left'),
  stoppableCount: count.describe(
    'Number of documents without an outcome, which settling can still stop. 0 once answered',
  ),
  requestedAt: storedTime,
  requestedBy: z.string(),
  answeredAt: ifKnown(storedTime),
  answerReason: ifKnown(z.string()).describe(
    'Why the provider could stop none, or the note of the operator who settled the recall',
  ),
})
export type RecallResponse = z.output<typeof recallSchema>

export const ofRecall = z.object({ recallId: z.uuid() })

const tooLateMax = 100_000

const settlementChoice = {
  tooLate: z
    .array(documentId)
    .min(1)
    .max(tooLateMax)
    .exactOptional()
    .describe(
      'Documents that have already left. The others are stopped. Leave out if allStopped is true',
    ),
  allStopped: confirmed('must be true, or left out with tooLate').describe(
    'None of the documents has left',
  ),
}

export const countSettlementSchema = z
  .object(settlementChoice)
  .check(requireOneOf('tooLate', 'allStopped'))

export const settlementCountSchema = z.object({
  recallId: z.uuid(),
  batchNumber: z.string(),
  documentCount: count.describe(
    'Number of documents that would be recalled and their print jobs rejected',
  ),
  tooLateCount: count.describe(
    'Number of documents of the recall that would be too late: those named, and those that already have an outcome',
  ),
})
export type SettlementCountResponse = z.output<typeof settlementCountSchema>

export const settleRecallSchema = z
  .object({
    ...settlementChoice,
    note: reason.describe('How you know the answer. Must not contain personal information'),
    expectedCount: agreedCount
      .exactOptional()
      .describe('The agreed number of documents to stop. If it is more by now, nothing is settled'),
  })
  .check(requireOneOf('tooLate', 'allStopped'))
export type SettleRecallRequest = z.input<typeof settleRecallSchema>

export const recallsQuerySchema = z.object({
  state: z.enum(recallStates).exactOptional().describe('Absent: all states'),
  batchNumber: batchNumber.exactOptional().describe('Absent: all print runs'),
  ...pageQuery,
  cursor: z.uuid().exactOptional().describe('nextCursor of the previous page'),
})
export const recallsSchema = z.object({
  recalls: z.array(recallSchema).describe('Newest first'),
  nextCursor,
})
export type RecallsResponse = z.output<typeof recallsSchema>
export type StoredRecall = z.input<typeof recallSchema>
