import type { Finding } from '@despatch/domain/preflight/finding'
import { ownActionNames } from '@despatch/domain/print-job/own-actions'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { possibleActionsSchema } from '../possible-actions.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { callbackSchema } from './callback.ts'
import { findingSchema, renderFinding } from './finding.ts'
import { type StoredUnknownMembers, unknownMemberFindings } from './unknown-members.ts'

export const printJobEventSchema = z.object({
  sequence: z.number().meta({ type: 'integer', minimum: 1 }),
  transition: z.string().describe('What happened: submit, release, accept, produce, despatch…'),
  status: z.enum(printJobStatuses).describe('Status after the event'),
  at: storedTime,
  actor: z
    .string()
    .describe(
      'Who or what caused the event: consumer, operator, a stage, or the name of a provider',
    ),
  reason: ifKnown(z.string()),
  findings: ifKnown(z.array(findingSchema)).describe(
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
  printRun: ifKnown(
    z.object({
      batchNumber: z.string(),
      state: z.enum(printRunStates),
      printLocation: z
        .string()
        .describe('Site of the print run. May change until a provider claims it'),
    }),
  ).describe('The print run that contains the letter. Absent if none does, or no longer'),
  callbacks: z
    .array(callbackSchema)
    .describe('Callbacks of the print job, newest first: owed, delivered and dead ones'),
  actions: possibleActionsSchema(ownActionNames),
})

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

export type StoredPrintJobTimeline = z.input<typeof printJobTimelineSchema>

/** Returns the events of a print job, oldest first, with all findings of each. */
export function completeEvents<Event extends StoredPrintJobEvent>(events: readonly Event[]) {
  return events
    .toSorted((one, other) => one.sequence - other.sequence)
    .map(({ unknownMembers = null, findings, ...event }) => ({
      ...event,
      findings:
        unknownMembers || findings
          ? [...unknownMemberFindings(unknownMembers), ...(findings ?? [])].map(renderFinding)
          : null,
    }))
}

/** Returns the events of a print job as its consumer reads them. Only operators see which operator acted. */
export function ownEvents(events: readonly StoredPrintJobEvent[]) {
  return completeEvents(events).map(({ actor, ...event }) => ({
    ...event,
    actor: actor.startsWith('consumer:') ? 'operator' : actor,
  }))
}
