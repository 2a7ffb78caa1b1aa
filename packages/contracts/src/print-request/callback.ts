import { attemptInWords } from '@despatch/domain/callback/attempt-in-words'
import { type AttemptOutcome, attemptOutcomes } from '@despatch/domain/callback/attempt-outcome'
import {
  type CallbackEndReason,
  type CallbackKind,
  type CallbackState,
  callbackEndReasons,
  callbackKinds,
  callbackStates,
  replaysMax,
} from '@despatch/domain/callback/callback-state'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageQuery } from '../page.ts'
import { integer, text } from '../text.ts'
import { callbackParamsSchema } from './print-job-request.ts'

const instant = z.iso.datetime()

export const ofCallback = z.object({
  callbackId: z.uuid().describe('Its webhook-id, which is also the id of its message'),
})

export const callbackSchema = z.object({
  callbackId: z.string(),
  jobId: z.string().optional().describe('Absent for a test message'),
  sequence: z
    .number()
    .meta({ type: 'integer' })
    .describe('Position among the callbacks of its print job, from 1'),
  kind: z.enum(callbackKinds),
  jobStatus: z
    .enum(printJobStatuses)
    .optional()
    .describe('The print job status that the callback reports'),
  status: z.enum(callbackStates).describe('Status of the callback itself'),
  reason: z.enum(callbackEndReasons).optional().describe('Why the callback is dead'),
  origin: z
    .string()
    .describe('Scheme, host and port of the target. The rest of the target is secret'),
  attempts: z.number().meta({ type: 'integer' }),
  replays: z
    .number()
    .meta({ type: 'integer' })
    .describe('Number of times it was sent again on request'),
  createdAt: instant,
  nextAttemptAt: instant.optional().describe('Absent unless DUE'),
  windowEndsAt: instant.optional().describe('Time of the last attempt in the retry window'),
  endedAt: instant.optional(),
})
export type CallbackResponse = z.output<typeof callbackSchema>

export const callbackAttemptSchema = z.object({
  number: z.number().meta({ type: 'integer' }),
  plannedAt: instant,
  startedAt: instant,
  durationMs: z.number().meta({ type: 'integer' }),
  outcome: z.enum(attemptOutcomes),
  detail: z.string().describe('How the attempt ended, in a sentence'),
  httpStatus: z.number().meta({ type: 'integer' }).optional(),
  failure: z.string().optional().describe('Class of the error if there was no response'),
  address: z.string().optional().describe('Address that the service connected to'),
  answer: z
    .string()
    .optional()
    .describe('The first 4 KiB of the response as text, without your own credentials'),
  nextAttemptAt: instant.optional(),
})
export type CallbackAttemptResponse = z.output<typeof callbackAttemptSchema>

export const callbackWithLogSchema = callbackSchema.extend({
  message: z.record(z.string(), z.unknown()).describe('The body as it is sent'),
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
  oldest: instant.optional().describe('When the oldest of these callbacks was created'),
  newest: instant.optional(),
})
export type ReplayResultResponse = z.output<typeof replayResultSchema>

export const testCallbackSchema = z.object({ callbackParams: callbackParamsSchema })
export const testCallbackAnswerSchema = z.object({
  callbackId: z.string().describe('Get this callback to see its result'),
})

/** A callback as stored. */
export type StoredCallback = {
  id: string
  position: number
  printJobId: string | null
  sequence: number
  kind: CallbackKind
  jobStatus: PrintJobStatus | null
  state: CallbackState
  endReason: CallbackEndReason | null
  origin: string
  attempts: number
  replays: number
  createdAt: Date
  dueAt: Date | null
  windowEndsAt: Date | null
  endedAt: Date | null
}

/** An attempt as stored. */
export type StoredCallbackAttempt = {
  number: number
  plannedAt: Date
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  failure: string | null
  address: string | null
  answer: Uint8Array | null
  nextAt: Date | null
}

export type ReplayCount = { count: number; oldest: Date | null; newest: Date | null }

export function renderCallback(callback: StoredCallback): CallbackResponse {
  const { printJobId, jobStatus, endReason, dueAt, windowEndsAt, endedAt } = callback
  return {
    callbackId: callback.id,
    ...(printJobId !== null && { jobId: printJobId }),
    sequence: callback.sequence,
    kind: callback.kind,
    ...(jobStatus !== null && { jobStatus }),
    status: callback.state,
    ...(endReason !== null && { reason: endReason }),
    origin: callback.origin,
    attempts: callback.attempts,
    replays: callback.replays,
    createdAt: callback.createdAt.toISOString(),
    ...(dueAt && { nextAttemptAt: dueAt.toISOString() }),
    ...(windowEndsAt && { windowEndsAt: windowEndsAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  }
}

/** Renders a callback with its message and every attempt. */
export function renderCallbackWithLog(
  callback: StoredCallback & { body: Uint8Array },
  attempts: readonly StoredCallbackAttempt[],
): CallbackWithLogResponse {
  return {
    ...renderCallback(callback),
    message: JSON.parse(new TextDecoder().decode(callback.body)),
    log: attempts.map(renderAttempt),
  }
}

function renderAttempt(attempt: StoredCallbackAttempt): CallbackAttemptResponse {
  const { httpStatus, failure, address, answer, nextAt } = attempt
  return {
    number: attempt.number,
    plannedAt: attempt.plannedAt.toISOString(),
    startedAt: attempt.startedAt.toISOString(),
    durationMs: attempt.durationMs,
    outcome: attempt.outcome,
    detail: attemptInWords(attempt),
    ...(httpStatus !== null && { httpStatus }),
    ...(failure !== null && { failure }),
    ...(address !== null && { address }),
    ...(answer && { answer: new TextDecoder().decode(answer) }),
    ...(nextAt && { nextAttemptAt: nextAt.toISOString() }),
  }
}

export function renderReplay(
  { count, oldest, newest }: ReplayCount,
  dryRun: boolean,
): ReplayResultResponse {
  return {
    dryRun,
    count,
    ...(oldest && { oldest: oldest.toISOString() }),
    ...(newest && { newest: newest.toISOString() }),
  }
}
