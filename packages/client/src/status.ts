import type { PrintJobStatus } from './print-job.ts'

const way: readonly PrintJobStatus[] = [
  'QUARANTINE',
  'VALIDATING',
  'PENDING',
  'PRODUCTION',
  'DESPATCHED',
]

/** Returns whether a print job with this status has reached the other, or is beyond it. */
export function hasReached(status: PrintJobStatus, wanted: PrintJobStatus): boolean {
  return status === wanted || (way.includes(wanted) && way.indexOf(status) > way.indexOf(wanted))
}

/** Returns whether the status cannot change any more. */
export function isFinal(status: PrintJobStatus): boolean {
  return status === 'DESPATCHED' || status === 'REJECTED'
}
