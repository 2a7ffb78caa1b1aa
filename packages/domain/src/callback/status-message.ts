import type { PrintJobStatus } from '../print-job/status.ts'
import { renderMessage, wholeSeconds } from './message.ts'

/** The content of a callback for a status that a print job has reached. */
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

export const statusMessageType = 'despatch.print.messages.v2.PrintJobStatus'

/**
 * Returns the body of a status callback. Absent members are left out, because consumers refuse nulls. `transitionDate`
 * has whole seconds.
 */
export function renderStatusMessage(change: StatusChange): Uint8Array {
  const isDespatched = change.status === 'DESPATCHED'
  return renderMessage({
    ...change,
    type: statusMessageType,
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
