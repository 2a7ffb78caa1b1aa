import type { PossibleAction } from '@despatch/domain/operator-action/operator-action'
import type { Finding } from '@despatch/domain/preflight/finding'
import { type OwnActionName, ownActionNames } from '@despatch/domain/print-job/own-actions'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { possibleActionsSchema, renderPossibleActions } from '../possible-actions.ts'
import { callbackSchema, renderCallback, type StoredCallback } from './callback.ts'
import { findingSchema, renderFinding } from './finding.ts'
import { type StoredUnknownMembers, unknownMemberFindings } from './unknown-members.ts'

export const printJobEventSchema = z.object({
  sequence: z.number().meta({ type: 'integer', minimum: 1 }),
  transition: z.string().describe('What happened: submit, release, accept, produce, despatch…'),
  status: z.enum(printJobStatuses).describe('Status after the event'),
  at: z.iso.datetime(),
  actor: z
    .string()
    .describe(
      'Who or what caused the event: consumer, operator, a stage, or the name of a provider',
    ),
  reason: z.string().optional(),
  findings: z
    .array(findingSchema)
    .optional()
    .describe(
      'Findings of preflight, in the order of the rules. The first refusal is the reason. Those of the submission are ' +
        'about the request, such as unknown members',
    ),
})

export const printJobEventsSchema = z.object({
  id: z.string(),
  events: z.array(printJobEventSchema),
})

/** The events of a print job with its print run, its callbacks and its possible actions. */
export const printJobTimelineSchema = printJobEventsSchema.extend({
  printRun: z
    .object({
      batchNumber: z.string(),
      state: z.enum(printRunStates),
      printLocation: z
        .string()
        .describe('Site of the print run. May change until a provider claims it'),
    })
    .optional()
    .describe('The print run that contains the letter. Absent if none does, or no longer'),
  callbacks: z
    .array(callbackSchema)
    .describe('Callbacks of the print job, newest first: owed, delivered and dead ones'),
  actions: possibleActionsSchema(ownActionNames),
})

export type PrintJobTimelineResponse = z.output<typeof printJobTimelineSchema>

export type PrintJobEventsResponse = z.output<typeof printJobEventsSchema>

export type StoredPrintJobEvent = {
  sequence: number
  transition: string
  status: PrintJobStatus
  at: Date
  actor: string
  reason: string | null
  findings?: readonly Finding[] | null
  unknownMembers?: StoredUnknownMembers | null
}

export type StoredPrintJobTimeline = {
  events: readonly StoredPrintJobEvent[]
  /** Null: no print run contains it. */
  printRun: { batchNumber: string; state: PrintRunState; printLocation: string } | null
  callbacks: readonly StoredCallback[]
  actions: readonly PossibleAction<OwnActionName>[]
}

/** Renders the timeline of a consumer's own print job. */
export function renderPrintJobTimeline(
  id: string,
  { events, printRun, callbacks, actions }: StoredPrintJobTimeline,
): PrintJobTimelineResponse {
  return {
    ...renderPrintJobEvents(id, events),
    ...(printRun && { printRun }),
    callbacks: callbacks.map(renderCallback),
    actions: renderPossibleActions(actions),
  }
}

/** Renders the events of a job, oldest first. */
export function renderPrintJobEvents(
  id: string,
  events: readonly StoredPrintJobEvent[],
): PrintJobEventsResponse {
  return {
    id,
    events: events
      .toSorted((one, other) => one.sequence - other.sequence)
      .map(({ sequence, transition, status, at, actor, reason, findings, unknownMembers }) => ({
        sequence,
        transition,
        status,
        at: at.toISOString(),
        actor: redactActor(actor),
        ...(reason !== null && { reason }),
        ...((unknownMembers || findings) && {
          findings: [...unknownMemberFindings(unknownMembers ?? null), ...(findings ?? [])].map(
            renderFinding,
          ),
        }),
      })),
  }
}

/** Only operators see which operator it was. */
function redactActor(actor: string): string {
  return actor.startsWith('consumer:') ? 'operator' : actor
}
