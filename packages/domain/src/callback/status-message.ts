import type { PrintJobStatus } from '../print-job/status.ts'
import { renderMessage, wholeSeconds } from './message.ts'

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

const type = 'despatch.print.messages.v2.PrintJobStatus'

/**
 * The body of a callback that tells a status. Absent members are left out, since consumers refuse nulls; `transitionDate`
 * has whole seconds.
 */
export function renderStatusMessage(change: StatusChange): Uint8Array {
  const isDespatched = change.status === 'DESPATCHED'
  return renderMessage({
    ...change,
    type,
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
  })
}
