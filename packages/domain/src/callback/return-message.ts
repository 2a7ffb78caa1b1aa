import {
  type ReturnDisposition,
  type ReturnReasonCode,
  returnReasons,
} from '../print-run/returned-letter.ts'
import { renderMessage, wholeSeconds } from './message.ts'

/** The content of a callback for a returned letter. */
export type ReportedReturn = {
  /** Identifies this message, not the print job. The same in every attempt. */
  messageId: string
  /** Counts the callbacks of one print job from 1 without gaps. */
  sequence: number
  printJobId: string
  jobType: string
  templateReference: string
  businessIdentifier: string | null
  reasonCode: ReturnReasonCode
  disposition: ReturnDisposition
  /** When the provider found it in its mail, by the provider's clock. */
  scannedAt: Date
  at: Date
  correlationId: string
}

export const returnMessageType = 'despatch.print.messages.v1.LetterReturned'

/**
 * Returns the body of a callback for a returned letter, for consumers whose contract requests it. The print job stays
 * DESPATCHED. The body contains no personal data. Absent members are left out.
 */
export function renderReturnMessage(report: ReportedReturn): Uint8Array {
  const { businessIdentifier, reasonCode } = report
  return renderMessage({
    ...report,
    type: returnMessageType,
    data: {
      jobId: report.printJobId,
      jobType: report.jobType,
      templateReference: report.templateReference,
      ...(businessIdentifier !== null && { businessIdentifier }),
      reasonCode,
      reason: returnReasons[reasonCode],
      disposition: report.disposition,
      returnedDate: wholeSeconds(report.scannedAt),
      sequence: report.sequence,
    },
  })
}
