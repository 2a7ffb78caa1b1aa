import { attemptOutcomes } from '@despatch/domain/callback/attempt-outcome'
import {
  callbackEndReasons,
  callbackKinds,
  callbackStates,
  replaysMax,
} from '@despatch/domain/callback/callback-state'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedJson, storedText, storedTime } from '../stored.ts'
import { integer, text } from '../text.ts'
import { callbackParamsSchema } from './print-job-request.ts'

export const ofCallback = z.object({
  callbackId: z.uuid().describe('Its webhook-id, which is also the id of its message'),
})

export const callbackSchema = z.object({
  callbackId: z.string(),
  jobId: ifKnown(z.string()).describe('Absent for a test message'),
  sequence: z
    .number()
    .meta({ type: 'integer' })
    .describe('Position among the callbacks of its print job, from 1'),
  kind: z.enum(callbackKinds),
  jobStatus: ifKnown(z.enum(printJobStatuses)).describe(
    'The print job status that the callback reports',
  ),
  status: z.enum(callbackStates).describe('Status of the callback itself'),
  reason: ifKnown(z.enum(callbackEndReasons)).describe('Why the callback is dead'),
  origin: z
    .string()
    .describe('Scheme, host and port of the target. The rest of the target is secret'),
  attempts: z.number().meta({ type: 'integer' }),
  replays: z
    .number()
    .meta({ type: 'integer' })
    .describe('Number of times it was sent again on request'),
  createdAt: storedTime,
  nextAttemptAt: ifKnown(storedTime).describe('Absent unless DUE'),
  windowEndsAt: ifKnown(storedTime).describe('Time of the last attempt in the retry window'),
  endedAt: ifKnown(storedTime),
})
export type CallbackResponse = z.output<typeof callbackSchema>

export const callbackAttemptSchema = z.object({
  number: z.number().meta({ type: 'integer' }),
  plannedAt: storedTime,
  startedAt: storedTime,
  durationMs: z.number().meta({ type: 'integer' }),
  outcome: z.enum(attemptOutcomes),
  detail: z.string().describe('How the attempt ended, in a sentence'),
  httpStatus: ifKnown(z.number().meta({ type: 'integer' })),
  failure: ifKnown(z.string()).describe('Class of the error if there was no response'),
  address: ifKnown(z.string()).describe('Address that the service connected to'),
  answer: ifKnown(storedText).describe(
    'The first 4 KiB of the response as text, without your own credentials',
  ),
  nextAttemptAt: ifKnown(storedTime),
})

export const callbackWithLogSchema = callbackSchema.extend({
  message: storedJson.describe('The body as it is sent'),
  log: z.array(callbackAttemptSchema).describe('All attempts, oldest first'),
})
export type CallbackWithLogResponse = z.output<typeof callbackWithLogSchema>

/** Filters for listing callbacks and for replaying them. */
export const callbackFilter = {
  status: z.enum(callbackStates).exactOptional(),
  reason: z.enum(callbackEndReasons).exactOptional(),
  jobId: text({ min: 1, max: 255 }).exactOptional(),
  createdFrom: moment.exactOptional().describe('Inclusive start of the range'),
  createdTo: moment.exactOptional().describe('Exclusive end of the range'),
}

export const callbacksQuerySchema = z.strictObject({
  ...callbackFilter,
  ...pageQuery,
  cursor: text({ min: 1, max: 18, pattern: /^\d+$/ })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})

export const callbacksSchema = z.object({
  callbacks: z.array(callbackSchema).describe('Newest first'),
  nextCursor,
})
export type CallbacksResponse = z.output<typeof callbacksSchema>

/** Filters for a replay. Without a status, it selects the dead letters. */
export const replayFilter = {
  ...callbackFilter,
  status: z.enum(callbackStates).default('DEAD'),
}

export const replayMode = {
  dryRun: z.boolean().default(false).describe('Only count the callbacks. Nothing is sent'),
  expectedCount: integer({ min: 0, max: replaysMax })
    .exactOptional()
    .describe('The count that the dry run returned. Required unless dryRun is true'),
}

export const replayCallbacksSchema = z
  .object({ ...replayFilter, ...replayMode })
  .superRefine(requireExpectedCount)

/** For the `superRefine` of a bulk replay request: requires the count of a dry run. */
export function requireExpectedCount(
  { dryRun, expectedCount }: { dryRun: boolean; expectedCount?: number },
  context: z.core.$RefinementCtx,
): void {
  if (dryRun || expectedCount !== undefined) return
  context.addIssue({
    code: 'custom',
    params: { code: 'NotNull' },
    message: 'must be the count of a dry run; ask with dryRun first',
    path: ['expectedCount'],
    input: expectedCount,
  })
}

export const replayResultSchema = z.object({
  dryRun: z.boolean(),
  count: z
    .number()
    .meta({ type: 'integer' })
    .describe('Number of callbacks that were sent again, or in a dry run would be'),
  oldest: ifKnown(storedTime).describe('When the oldest of these callbacks was created'),
  newest: ifKnown(storedTime),
})
export type ReplayResultResponse = z.output<typeof replayResultSchema>

export const testCallbackSchema = z.object({ callbackParams: callbackParamsSchema })
export const testCallbackAnswerSchema = z.object({
  callbackId: z.string().describe('Get this callback to see its result'),
})
