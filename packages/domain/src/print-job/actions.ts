import type { PrintJobStatus } from './status.ts'

/** What an operator may do with a print job. */
export const printJobActions = ['hold', 'release', 'cancel', 'redrive'] as const
export type PrintJobAction = (typeof printJobActions)[number]

/** An action, and when it is not possible now, why. */
export type PossibleAction = { action: PrintJobAction; whyNot: string | null }

/** What decides which actions are possible. */
export type ActionFacts = {
  status: PrintJobStatus
  isDeleted: boolean
  isHeld: boolean
  isParked: boolean
  isPurged: boolean
}

/** Says for every action whether it is possible now. */
export function possibleActions(facts: ActionFacts): PossibleAction[] {
  return printJobActions.map((action) => ({ action, whyNot: whyNot[action](facts) }))
}

type Reason = (facts: ActionFacts) => string | null

const whyNot: Record<PrintJobAction, Reason> = {
  hold: (facts) =>
    ended(facts) ??
    (facts.isHeld ? 'It is held already.' : null) ??
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
    ended(facts) ?? (facts.isParked ? null : 'It is not parked: it goes on by itself.'),
}

function ended({ status, isDeleted, isPurged }: ActionFacts): string | null {
  if (isPurged) return 'What is personal has been removed.'
  if (isDeleted) return 'It was deleted.'
  if (status === 'DESPATCHED') return 'It has been despatched.'
  if (status === 'REJECTED') return 'It was rejected.'
  return null
}
