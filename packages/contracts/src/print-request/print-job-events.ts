import type { Finding } from '@despatch/domain/preflight/finding'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { findingSchema, renderFinding } from './finding.ts'

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
    .describe('Findings of preflight, in the order of the rules. The first refusal is the reason'),
})

export const printJobEventsSchema = z.object({
  id: z.string(),
  events: z.array(printJobEventSchema),
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
}

/** Renders the timeline of a job, oldest first. */
export function renderPrintJobEvents(
  id: string,
  events: readonly StoredPrintJobEvent[],
): PrintJobEventsResponse {
  return {
    id,
    events: events
      .toSorted((one, other) => one.sequence - other.sequence)
      .map(({ sequence, transition, status, at, actor, reason, findings }) => ({
        sequence,
        transition,
        status,
        at: at.toISOString(),
        actor: redactActor(actor),
        ...(reason !== null && { reason }),
        ...(findings && { findings: findings.map(renderFinding) }),
      })),
  }
}

/** Only operators see which operator it was. */
function redactActor(actor: string): string {
  return actor.startsWith('consumer:') ? 'operator' : actor
}
