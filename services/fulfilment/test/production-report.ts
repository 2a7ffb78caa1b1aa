import { randomUUID } from 'node:crypto'
import type { Fulfilment } from './a-fulfilment.ts'

export type SomeEvent = {
  documentId: string
  type: string
  attempt?: number
  eventId?: string
  [member: string]: unknown
}

/** An event that a provider may report, with the details that a test is about. */
export function anEvent(event: SomeEvent) {
  return {
    eventId: randomUUID(),
    attempt: 1,
    occurredAt: '2026-01-31T17:30:00Z',
    ...(['SPOILED', 'DIVERTED', 'FAILED'].includes(event.type) && { reasonCode: 'JAM' }),
    ...event,
  }
}

/** How a provider reports, and what the tables then hold about its documents. */
export function aProductionReport(fulfilment: Fulfilment) {
  const { rows } = fulfilment

  const report = (batchNumber: string, events: readonly SomeEvent[], options: object = {}) =>
    fulfilment.call('POST', `/print-runs/${batchNumber}/events`, {
      body: { events: events.map(anEvent) },
      ...options,
    })

  return {
    report,
    /** Returns the result of each event, or why the service refused it. */
    results: async (batchNumber: string, events: readonly SomeEvent[]): Promise<string[]> => {
      const { body } = await report(batchNumber, events)
      return body.results.map(
        ({ result, refusal }: { result: string; refusal?: string }) => refusal ?? result,
      )
    },
    /** Returns `attempt progress outcome` for each document of the run, in order of sequence. */
    standings: async (batchNumber: string): Promise<string[]> => {
      const documents = await rows(
        `select concat_ws(' ', attempt, progress, outcome) as standing from print_run_document
        where batch_number = $1 order by sequence`,
        batchNumber,
      )
      return documents.map(({ standing }) => standing)
    },
    stateOf: async (batchNumber: string): Promise<string> =>
      (await rows('select state from print_run where batch_number = $1', batchNumber))[0].state,
    /** Returns `transition reason` for each event of the print job, after the start of production. */
    timeline: async (key: string): Promise<string[]> => {
      const events = await rows(
        `select concat_ws(' ', transition, reason) as entry from print_job_event
        where print_job_key = $1 and sequence > (
          select sequence from print_job_event where print_job_key = $1 and transition = 'produce')
        order by sequence`,
        key,
      )
      return events.map(({ entry }) => entry)
    },
    /** Returns `serialNumber state documentId attempt` for every number of the job type. */
    serialNumbers: async (jobType: string): Promise<string[]> => {
      const numbers = await rows(
        `select concat_ws(' ', serial_number, state, document_id, attempt) as number from serial_number
        where job_type = $1 order by serial_number`,
        jobType,
      )
      return numbers.map(({ number }) => number)
    },
  }
}
