import { addDays, londonDateOf, londonInstant } from '../calendar/london.ts'
import type { LondonDate } from '../print-run/capabilities.ts'

/** What a consumer asks of the moment at which its letter is sent. An addition to the specification. */
export type SendControl = { notBefore?: LondonDate; hold?: boolean }

/** What keeps a print job out of print runs from its submission on. */
export type SendPlan = {
  /** The first moment at which it may be gathered. */
  notBefore: Date | null
  /** Who has it wait until it is released; null: nobody. */
  heldBy: SubmissionHolder | null
}

/** Who may have a print job held as it is submitted: its consumer, or the contract. */
export type SubmissionHolder = 'consumer' | 'contract'

/** How far ahead a letter may be submitted. */
export const notBeforeDaysMax = 366

/** The days, in London, before which a letter submitted now may be kept back; both included. */
export function notBeforeRange(now: Date): { first: LondonDate; last: LondonDate } {
  const first = londonDateOf(now)
  return { first, last: addDays(first, notBeforeDaysMax) }
}

/** Says what keeps a print job back: the day that was asked for begins at midnight in London. A contract's hold is not given up by `hold: false`. */
export function planSending(
  { notBefore, hold = false }: SendControl,
  { holdForApproval }: { holdForApproval: boolean },
): SendPlan {
  return {
    notBefore: notBefore === undefined ? null : londonInstant(notBefore, '00:00'),
    heldBy: hold ? 'consumer' : holdForApproval ? 'contract' : null,
  }
}

/** Whether what is held waits for an operator: its consumer does not release it. */
export function isHeldByOperator(heldBy: string | null): boolean {
  return heldBy !== null && heldBy !== 'consumer' && heldBy !== 'contract'
}
