import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { UnaccountedDocument } from '@despatch/store/print-run/reconcile'

/** How far the document is, and what an operator can do about it. */
export function describeUnaccounted(
  { documentId, attempt, progress, postingId, isReprintWaiting }: UnaccountedDocument,
  state: PrintRunState,
): string {
  const subject = `Attempt ${attempt} at document ${documentId}`
  if (state === 'REFUSED') return `${subject} was refused with the print run: move or recall that`
  if (isReprintWaiting) return `${subject} is SPOILED: decide on its reprint`
  if (postingId) {
    return `${subject} is in posting ${postingId}, which is not confirmed: recall it, and settle the recall`
  }
  const reported = progress ? `was reported as ${progress}` : 'has not been reported on'
  return `${subject} ${reported}: recall it, and settle the recall`
}
