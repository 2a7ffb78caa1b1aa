import { callbackOrders, callbackStatusFilters } from '@despatch/domain/callback/callback-state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import {
  callbackSchema,
  callbacksQuerySchema,
  callbackWithLogSchema,
  replayFilter,
  replayMode,
  requireExpectedCount,
} from '../print-request/callback.ts'
import { ifKnown, storedTime } from '../stored.ts'
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
  breakerUntil: ifKnown(storedTime),
  failuresInRow: count,
  lastSuccessAt: ifKnown(storedTime),
  lastFailureAt: ifKnown(storedTime),
  lastOutcome: ifKnown(z.string()).describe('Outcome of the last failed call'),
  due: count.describe('Number of callbacks that wait for an attempt'),
  oldestDueAt: ifKnown(storedTime),
  dead: count.describe('Number of dead callbacks'),
})
export const callbackOriginsSchema = z.object({
  origins: z
    .array(callbackOriginSchema)
    .describe('Origins with due or dead callbacks or with a problem, by name'),
  nextCursor,
})
export type CallbackOriginsResponse = z.output<typeof callbackOriginsSchema>
