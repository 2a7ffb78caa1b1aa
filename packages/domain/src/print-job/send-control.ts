import { addDays, londonDateOf, londonInstant } from '../calendar/london.ts'
import type { LondonDate } from '../print-run/capabilities.ts'

/** The consumer's control over when its letter is sent. An addition to the specification. */
export type SendControl = { notBefore?: LondonDate; hold?: boolean }

/** What keeps a print job out of print runs when it is submitted. */
type SendPlan = {
  /** The earliest time at which it may be gathered. */
  notBefore: Date | null
  /** Who holds it until it is released; null: nobody. */
  heldBy: SubmissionHolder | null
}

/** Who may hold a print job at its submission: its consumer, or the contract. */
export type SubmissionHolder = 'consumer' | 'contract'

/** How many days ahead a letter may be submitted. */
const notBeforeDaysMax = 366

/** Returns the range of London dates, both inclusive, that a letter submitted now may name as `notBefore`. */
export function notBeforeRange(now: Date): { first: LondonDate; last: LondonDate } {
  const first = londonDateOf(now)
  return { first, last: addDays(first, notBeforeDaysMax) }
}

/**
 * Returns what keeps a print job back. A requested day begins at midnight in London. `hold: false` does not override a
 * contract's hold.
 */
export function planSending(
  { notBefore, hold = false }: SendControl,
  { holdForApproval }: { holdForApproval: boolean },
): SendPlan {
  return {
    notBefore: notBefore === undefined ? null : londonInstant(notBefore, '00:00'),
    heldBy: hold ? 'consumer' : holdForApproval ? 'contract' : null,
  }
}

/** Whether an operator holds the print job, so that its consumer cannot release it. */
export function isHeldByOperator(heldBy: string | null): boolean {
  return heldBy !== null && heldBy !== 'consumer' && heldBy !== 'contract'
}
