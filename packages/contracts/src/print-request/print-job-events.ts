import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'

export const printJobEventsSchema = z.object({
  id: z.string(),
  events: z.array(
    z.object({
      sequence: z.number().meta({ type: 'integer', minimum: 1 }),
      transition: z.string().describe('What happened: submit, release, accept, produce, despatch…'),
      status: z.enum(printJobStatuses).describe('The status from then on'),
      at: z.iso.datetime(),
      actor: z.string().describe('Who or what did it'),
      reason: z.string().optional(),
    }),
  ),
})

export type PrintJobEventsResponse = z.output<typeof printJobEventsSchema>

export type StoredPrintJobEvent = {
  sequence: number
  transition: string
  status: PrintJobStatus
  at: Date
  actor: string
  reason: string | null
}

/** Writes the timeline of a job, oldest first. */
export function renderPrintJobEvents(
  id: string,
  events: readonly StoredPrintJobEvent[],
): PrintJobEventsResponse {
  return {
    id,
    events: events
      .toSorted((one, other) => one.sequence - other.sequence)
      .map(({ sequence, transition, status, at, actor, reason }) => ({
        sequence,
        transition,
        status,
        at: at.toISOString(),
        actor,
        ...(reason !== null && { reason }),
      })),
  }
}
