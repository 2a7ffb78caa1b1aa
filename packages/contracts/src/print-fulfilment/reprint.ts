import { reprintStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { list } from '../list.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { documentId, nextCursor, number, pageLimit, reason, reasonCode } from './answers.ts'
import { contentPath } from './paths.ts'

/** The most documents of one request. */
const reprintsMax = 2_500

export const reprintRequestSchema = z.object({
  documentId,
  reasonCode,
  reason: reason.exactOptional(),
})

export const reprintsRequestSchema = z.object({
  documents: list(reprintRequestSchema, {
    max: reprintsMax,
    unique: ['documentId'],
  }).describe('Documents whose current attempt was reported as SPOILED'),
})

export const reprintSchema = z.object({
  documentId: z.string(),
  fulfilmentJobId: z.string(),
  attempt: number.describe('Number of the new attempt. Events and the print log refer to it'),
  state: z
    .enum(reprintStates)
    .describe(
      'WAITING: the quota is used up and an operator decides. Print the document only when the reprint is AUTHORISED. ' +
        'REFUSED: the document will not be printed and its print job is rejected',
    ),
  reasonCode: z.string(),
  sheets: number,
  pages: number,
  sha256: z.string(),
  content: z.string().describe('Path of the file, which is the same as for the first attempt'),
  requestedAt: storedTime,
  decidedAt: ifKnown(storedTime),
})

export const reprintsResponseSchema = z.object({
  batchNumber: z.string(),
  reprints: z.array(reprintSchema).describe('In the order of the requests'),
  nextCursor,
})
export type ReprintsResponse = z.output<typeof reprintsResponseSchema>

export const reprintsQuerySchema = z.object({
  state: z.enum(reprintStates).exactOptional().describe('Absent: all states'),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the nextCursor of the page before')
    .transform(Number)
    .exactOptional()
    .describe('nextCursor of the previous page'),
  limit: pageLimit(500),
})

/** Adds the path of its file to each reprint of a run. */
export function withContentPaths<Reprint extends { documentId: string }>(
  batchNumber: string,
  reprints: readonly Reprint[],
) {
  return reprints.map((reprint) => ({
    ...reprint,
    content: contentPath(batchNumber, reprint.documentId),
  }))
}
