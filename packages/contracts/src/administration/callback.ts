import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import { callbackOrders, callbackStatusFilters } from '@despatch/domain/callback/callback-state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import {
  callbackSchema,
  callbacksQuerySchema,
  callbackWithLogSchema,
  renderCallback,
  renderCallbackWithLog,
  replayFilter,
  replayMode,
  requireExpectedCount,
  type StoredCallback,
  type StoredCallbackAttempt,
} from '../print-request/callback.ts'
import { text } from '../text.ts'

export const callbackOrderSchema = z
  .enum(callbackOrders)
  .describe(
    'print-job: callbacks of one print job are sent one at a time. strict: all callbacks of the contract are sent ' +
      'one at a time, each after the previous one is delivered or dead',
  )

const origin = text({ min: 8, max: 300, pattern: /^https?:\/\/\S+$/ })

/** Filters that operators have in addition to those of consumers. */
const everyFilter = {
  consumerId: z.uuid().exactOptional().describe('Absent: all consumers'),
  origin: origin.exactOptional().describe('Scheme, host and port'),
}

export const callbackStatusFilterSchema = z
  .enum(callbackStatusFilters)
  .describe('OPEN: WAITING or DUE')

export const allCallbacksQuerySchema = z.object({
  ...callbacksQuerySchema.shape,
  ...everyFilter,
  status: callbackStatusFilterSchema.exactOptional(),
})
export const callbackSummarySchema = callbackSchema.extend({
  consumerId: z.string(),
  userName: z.string().describe('User name of the consumer'),
})
export const allCallbacksSchema = z.object({
  callbacks: z.array(callbackSummarySchema).describe('Newest first'),
  nextCursor,
})
export type AllCallbacksResponse = z.output<typeof allCallbacksSchema>

export const callbackSummaryWithLogSchema = callbackSummarySchema.extend({
  log: callbackWithLogSchema.shape.log,
})
export type CallbackSummaryWithLogResponse = z.output<typeof callbackSummaryWithLogSchema>

export const replayCallbacksSchema = z
  .object({
    ...replayFilter,
    ...everyFilter,
    ...replayMode,
    status: callbackStatusFilterSchema.default('DEAD'),
  })
  .superRefine(requireExpectedCount)

export const testCallbackSchema = z.object({
  origin: origin
    .exactOptional()
    .describe('Scheme, host and port of a recent callback. Absent: those of the newest'),
})
export const sentTestCallbackSchema = z.object({
  callbackId: z.uuid(),
  origin: z.string().describe('Where the message is sent'),
})

export const callbackOriginsQuerySchema = z.object({
  ...pageQuery,
  cursor: text({ min: 1, max: 300 }).exactOptional().describe('nextCursor of the previous page'),
})
const count = z.number().meta({ type: 'integer' })
export const callbackOriginSchema = z.object({
  origin: z.string(),
  breaker: z
    .enum(['closed', 'open', 'half-open'])
    .describe('open: calls wait. half-open: one call is tried'),
  breakerUntil: z.iso.datetime().optional(),
  failuresInRow: count,
  lastSuccessAt: z.iso.datetime().optional(),
  lastFailureAt: z.iso.datetime().optional(),
  lastOutcome: z.string().optional().describe('Outcome of the last failed call'),
  due: count.describe('Number of callbacks that wait for an attempt'),
  oldestDueAt: z.iso.datetime().optional(),
  dead: count.describe('Number of dead callbacks'),
})
export const callbackOriginsSchema = z.object({
  origins: z
    .array(callbackOriginSchema)
    .describe('Origins with due or dead callbacks or with a problem, by name'),
  nextCursor,
})
export type CallbackOriginsResponse = z.output<typeof callbackOriginsSchema>

export type StoredCallbackSummary = StoredCallback & { consumerId: string; userName: string }

export type ListedCallbackOrigin = {
  origin: string
  breaker: 'closed' | 'open' | 'half-open'
  breakerUntil: Date | null
  failuresInRow: number
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  lastOutcome: AttemptOutcome | string | null
  due: number
  oldestDueAt: Date | null
  dead: number
}

export function renderCallbackSummary(callback: StoredCallbackSummary) {
  const { consumerId, userName } = callback
  return { ...renderCallback(callback), consumerId, userName }
}

/** Renders a callback for an operator, without its message. */
export function renderCallbackSummaryWithLog(
  callback: StoredCallbackSummary & { body: Uint8Array },
  attempts: readonly StoredCallbackAttempt[],
): CallbackSummaryWithLogResponse {
  const { log } = renderCallbackWithLog(callback, attempts)
  return { ...renderCallbackSummary(callback), log }
}

export function renderCallbackOrigin(listed: ListedCallbackOrigin) {
  const { breakerUntil, lastSuccessAt, lastFailureAt, lastOutcome, oldestDueAt } = listed
  return {
    origin: listed.origin,
    breaker: listed.breaker,
    ...(breakerUntil && { breakerUntil: breakerUntil.toISOString() }),
    failuresInRow: listed.failuresInRow,
    ...(lastSuccessAt && { lastSuccessAt: lastSuccessAt.toISOString() }),
    ...(lastFailureAt && { lastFailureAt: lastFailureAt.toISOString() }),
    ...(lastOutcome !== null && { lastOutcome }),
    due: listed.due,
    ...(oldestDueAt && { oldestDueAt: oldestDueAt.toISOString() }),
    dead: listed.dead,
  }
}
