import { reprintStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
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
  reason: ifKnown(z.string()),
  requestedAt: storedTime,
  requestedBy: z.string().describe('User name of the consumer with the provider role'),
  decidedAt: ifKnown(storedTime),
  decidedBy: ifKnown(z.string()),
  decisionReason: ifKnown(z.string()),
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

export type ListedReprint = z.input<typeof decidedReprintSchema>
