import { reprintStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { text } from '../text.ts'

export const ofReprint = z.object({
  reprintId: text({ max: 19, pattern: /^\d{1,18}$/ }),
})

export const decidedReprintSchema = z.object({
  reprintId: z.string(),
  batchNumber: z.string(),
  documentId: z.string(),
  providerId: z.string(),
  attempt: z.number(),
  state: z.enum(reprintStates),
  reasonCode: z.string(),
  reason: z.string().optional(),
  requestedAt: z.iso.datetime(),
  requestedBy: z.string().describe('User name of the consumer with the provider role'),
  decidedAt: z.iso.datetime().optional(),
  decidedBy: z.string().optional(),
  decisionReason: z.string().optional(),
})
export type DecidedReprintResponse = z.output<typeof decidedReprintSchema>

export const allReprintsQuerySchema = z.object({
  state: z.enum(reprintStates).exactOptional().describe('Absent: all states'),
  ...pageQuery,
  cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})
export const allReprintsSchema = z.object({
  reprints: z.array(decidedReprintSchema).describe('In the order of the requests'),
  secondPersonOff: z
    .string()
    .optional()
    .describe(
      'Present with reprints while an operator may decide on them without being independent of the requester: why',
    ),
  nextCursor,
})
export type AllReprintsResponse = z.output<typeof allReprintsSchema>

export type ListedReprint = Omit<
  DecidedReprintResponse,
  'reprintId' | 'reason' | 'requestedAt' | 'decidedAt' | 'decidedBy' | 'decisionReason'
> & {
  id: string
  reason: string | null
  requestedAt: Date
  decidedAt: Date | null
  decidedBy: string | null
  decisionReason: string | null
}

export function renderReprint(reprint: ListedReprint): DecidedReprintResponse {
  const { id, reason, requestedAt, decidedAt, decidedBy, decisionReason, ...others } = reprint
  return {
    reprintId: id,
    ...others,
    ...(reason !== null && { reason }),
    requestedAt: requestedAt.toISOString(),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
    ...(decidedBy !== null && { decidedBy }),
    ...(decisionReason !== null && { decisionReason }),
  }
}
