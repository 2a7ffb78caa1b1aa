import { itemEventsMax, itemEventTypes } from '@despatch/domain/print-run/item-event'
import { z } from 'zod'
import { list } from '../list.ts'
import { integer, text } from '../text.ts'
import { documentId, instant, reason, reasonCode } from './answers.ts'
import { despatchProperties } from './despatch-property.ts'

export const attemptsMax = 1_000
export const serialNumber = text({ min: 1, max: 255 })

export const itemEventSchema = z.object({
  eventId: text({ min: 1, max: 100 }).describe(
    'Chosen by the provider. The id identifies one event',
  ),
  documentId,
  attempt: integer({ min: 1, max: attemptsMax }).describe(
    'Attempt, as in the manifest or the reprint',
  ),
  type: z.enum(itemEventTypes),
  occurredAt: instant.describe("Time by the provider's clock. It decides nothing"),
  serialNumber: serialNumber
    .exactOptional()
    .describe('Serial number of the numbered stock that was printed on or spoiled'),
  despatchProperties,
  reasonCode: reasonCode.exactOptional().describe('Required with SPOILED, DIVERTED and FAILED'),
  reason: reason
    .exactOptional()
    .describe('With FAILED it is shown to the consumer. Must not contain personal information'),
})

const wanting = new Set(['SPOILED', 'DIVERTED', 'FAILED'])

export const itemEventsRequestSchema = z.object({
  events: list(
    itemEventSchema.check(({ value, issues }) => {
      if (!wanting.has(value.type) || value.reasonCode !== undefined) return
      issues.push({
        code: 'custom',
        params: { code: 'NotNull' },
        message: `must be given with ${value.type}`,
        input: value,
        path: ['reasonCode'],
        continue: true,
      })
    }),
    { max: itemEventsMax, unique: ['eventId'] },
  ),
})
export type ItemEventsRequest = z.output<typeof itemEventsRequestSchema>
export type ItemEventRequest = ItemEventsRequest['events'][number]

export const itemEventRefusals = [
  'unknown-document',
  'event-id-reused',
  'attempt-not-authorised',
  'already-reported',
  'not-spoilable',
  'not-failable',
  'not-in-production',
  'serial-number-taken',
  'serial-number-not-in-stock',
] as const
export type ItemEventRefusal = (typeof itemEventRefusals)[number]

export const itemEventResultSchema = z.object({
  eventId: z.string(),
  result: z
    .enum(['APPLIED', 'RECORDED', 'DUPLICATE', 'REFUSED'])
    .describe(
      'APPLIED: the event changed the document. RECORDED: the event is stored but came too late to change the ' +
        'document. DUPLICATE: the event was already known. REFUSED: the event is not stored',
    ),
  refusal: z.enum(itemEventRefusals).optional(),
  detail: z.string().optional(),
})
export type ItemEventResult = z.output<typeof itemEventResultSchema>

export const itemEventsResponseSchema = z.object({
  batchNumber: z.string(),
  results: z
    .array(itemEventResultSchema)
    .describe('One result for each event, in the order of the events'),
})
export type ItemEventsResponse = z.output<typeof itemEventsResponseSchema>

/** Returns the comment that the consumer reads about a letter that will not be printed. */
export function failureComment({
  reasonCode,
  reason,
}: Pick<ItemEventRequest, 'reasonCode' | 'reason'>): string {
  const reasons = [reasonCode, reason].filter((text) => text !== undefined)
  return ['Failed at the print provider', ...reasons].join(': ')
}

const refusalDetails = {
  'unknown-document': 'The print run has no such document',
  'event-id-reused': 'The eventId stands for another event',
  'attempt-not-authorised': 'The document was not to be printed under this attempt',
  'already-reported': 'The attempt has such an event under another eventId',
  'not-spoilable': 'The document is despatched',
  'not-failable': 'The document already has an outcome, or is on a later attempt',
  'not-in-production': 'The document was refused',
  'serial-number-taken': 'Another document or attempt has the serialNumber',
  'serial-number-not-in-stock': 'The serialNumber is not in the stock of the provider',
} as const satisfies Record<ItemEventRefusal, string>

export type StoredItemEventResult = { eventId: string } & (
  | { result: 'APPLIED' | 'RECORDED' | 'DUPLICATE' }
  | { result: 'REFUSED'; refusal: ItemEventRefusal }
)

/** Renders the result of each event, with the reason if it was refused. */
export function renderItemEvents(
  batchNumber: string,
  results: readonly StoredItemEventResult[],
): ItemEventsResponse {
  return {
    batchNumber,
    results: results.map((result) =>
      result.result === 'REFUSED'
        ? { ...result, detail: refusalDetails[result.refusal] }
        : { ...result },
    ),
  }
}
