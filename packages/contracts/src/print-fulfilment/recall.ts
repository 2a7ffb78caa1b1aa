import { recallStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { cursor, documentId, nextCursor, pageLimit, reason } from './answers.ts'

const documentsMax = 100_000

export const recallSchema = z.object({
  recallId: z.uuid(),
  batchNumber: z.string(),
  state: z.enum(recallStates),
  reason: z.string(),
  documents: z.array(
    z.object({ documentId: z.string(), state: z.enum(['ASKED', 'RECALLED', 'TOO_LATE']) }),
  ),
  requestedAt: storedTime,
  answeredAt: ifKnown(storedTime),
})
export type RecallResponse = z.output<typeof recallSchema>

export const recallsSchema = z.object({
  recallRequests: z.array(recallSchema).describe('Oldest first'),
  nextCursor,
})
export type RecallsResponse = z.output<typeof recallsSchema>

export const recallsQuerySchema = z.object({
  state: z.enum(recallStates).exactOptional().describe('Absent: all states'),
  cursor,
  limit: pageLimit(100),
})

export const acceptRecallSchema = z
  .object({
    tooLate: z
      .array(documentId)
      .max(documentsMax)
      .exactOptional()
      .describe('Documents that have already left. The others are stopped'),
  })
  .nullish()

export const rejectRecallSchema = z.object({ reason })
