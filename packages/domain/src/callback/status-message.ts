import type { PrintJobStatus } from '../print-job/status.ts'

/** What a callback says: a print job has reached a status. */
export type StatusChange = {
  /** Identifies this message, not the print job. The same in every attempt. */
  messageId: string
  /** Counts the callbacks of one print job from 1 without gaps. */
  sequence: number
  printJobId: string
  jobType: string
  templateReference: string
  status: PrintJobStatus
  at: Date
  comment: string | null
  despatchProperties: readonly { key: string; value: string }[] | null
  correlationId: string
}

const source = 'despatch:print:fulfilment'
const type = 'despatch.print.messages.v2.PrintJobStatus'

/**
 * The body of a callback: a JSON envelope after the manner of CloudEvents, as UTF-8 bytes.
 * Absent members are left out, since consumers refuse nulls; `transitionDate` has whole seconds and a Z,
 * since consumers refuse fractions and offsets.
 */
export function renderStatusMessage(change: StatusChange): Uint8Array {
  const isDespatched = change.status === 'DESPATCHED'
  const message = {
    specVersion: '1',
    type,
    source,
    id: change.messageId,
    time: change.at.toISOString(),
    dataContentType: 'application/json',
    data: {
      jobId: change.printJobId,
      jobType: change.jobType,
      templateReference: change.templateReference,
      jobStatus: change.status,
      transitionDate: wholeSeconds(change.at),
      sequence: change.sequence,
      ...(change.comment !== null && { comment: change.comment }),
      ...(isDespatched && { despatchProperties: change.despatchProperties ?? [] }),
    },
    metadata: { correlationId: change.correlationId },
  }
  return new TextEncoder().encode(JSON.stringify(message))
}

function wholeSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`
}
