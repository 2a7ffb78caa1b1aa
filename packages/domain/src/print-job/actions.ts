import type { PrintJobStatus } from './status.ts'

/** The actions of an operator on a print job. */
export const printJobActions = ['hold', 'release', 'cancel', 'redrive', 'override-address'] as const
export type PrintJobAction = (typeof printJobActions)[number]

/** An action and, if it is not possible now, the reason. */
export type PossibleAction = { action: PrintJobAction; whyNot: string | null }

/** The facts that decide which actions are possible. */
export type ActionFacts = {
  status: PrintJobStatus
  isDeleted: boolean
  isHeld: boolean
  isHeldByOperator: boolean
  isParked: boolean
  isPurged: boolean
  isInPrintRun: boolean
  /** The letter is a file of the consumer, which is printed unchanged, including its address. */
  isAsSupplied: boolean
}

/** Returns every action with whether it is possible now. */
export function possibleActions(facts: ActionFacts): PossibleAction[] {
  return printJobActions.map((action) => ({ action, whyNot: whyNot[action](facts) }))
}

type Reason = (facts: ActionFacts) => string | null

const whyNot: Record<PrintJobAction, Reason> = {
  hold: (facts) =>
    ended(facts) ??
    // an operator's hold replaces the consumer's or the contract's, which can then not be released by the consumer
    (facts.isHeldByOperator ? 'An operator already holds it.' : null) ??
    (facts.status === 'PRODUCTION' ? 'A provider has claimed it.' : null),
  release: (facts) => ended(facts) ?? (facts.isHeld ? null : 'It is not held.'),
  cancel: (facts) =>
    ended(facts) ??
    (facts.status === 'PENDING'
      ? null
      : facts.status === 'PRODUCTION'
        ? 'A provider has claimed it: recall it from its print run.'
        : 'It is still being checked.'),
  redrive: (facts) =>
    ended(facts) ?? (facts.isParked ? null : 'It is not parked; it continues automatically.'),
  'override-address': (facts) => ended(facts) ?? whyNotOtherAddress(facts),
}

function whyNotOtherAddress({ status, isHeld, isInPrintRun, isAsSupplied }: ActionFacts) {
  if (isAsSupplied) {
    return 'Its address is part of the file that its consumer supplied. Cancel it and ask the consumer to submit it again.'
  }
  if (status === 'PRODUCTION') return 'A provider has claimed it: recall it from its print run.'
  if (status !== 'PENDING')
    return 'It is still being checked: hold it and wait until it is PENDING.'
  if (isInPrintRun) return 'It is in a print run. Hold it first.'
  return isHeld ? null : 'Hold it first.'
}

function ended({ status, isDeleted, isPurged }: ActionFacts): string | null {
  if (isPurged) return 'Its personal data has been deleted.'
  if (isDeleted) return 'It was deleted.'
  if (status === 'DESPATCHED') return 'It has been despatched.'
  if (status === 'REJECTED') return 'It was rejected.'
  return null
}
