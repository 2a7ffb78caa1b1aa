import { whyNotPossible } from '../operator-action/operator-action.ts'
import {
  type PrintJobAction,
  type PrintJobFacts,
  printJobActions,
} from '../operator-action/print-job-actions.ts'
import { isHeldByOperator } from '../print-job/send-control.ts'

/** The actions that require nothing but a reason. They are possible on many print jobs at once too. */
export const bulkActionKinds = [
  'hold',
  'release',
  'cancel',
  'redrive',
] as const satisfies readonly PrintJobAction[]
export type BulkActionKind = (typeof bulkActionKinds)[number]

/** The stored state. Nothing is written when a plan expires. */
export type StoredBulkActionState = Exclude<BulkActionState, 'EXPIRED'>

/** The state that callers see. STOPPED, ENDED and EXPIRED are final. */
export const bulkActionStates = ['PLANNED', 'EXPIRED', 'RUNNING', 'STOPPED', 'ENDED'] as const
export type BulkActionState = (typeof bulkActionStates)[number]

/** The outcome for one of its print jobs. */
export const bulkItemOutcomes = ['done', 'refused', 'absent', 'not-begun'] as const
export type BulkItemOutcome = (typeof bulkItemOutcomes)[number]

/** What the items of a bulk action can be filtered by. */
export const bulkItemFilters = [...bulkItemOutcomes, 'left'] as const

/** The most print jobs that a plan names one by one. */
export const bulkPrintJobsMax = 1_000
/** The most print jobs of a plan by filters. */
export const bulkMatchesMax = 10_000

/** A plan that is not confirmed within this time can no longer be confirmed. */
export const confirmWithinSeconds = 86_400

export type BulkActionFacts = {
  state: StoredBulkActionState
  plannedAt: Date
  plannedBy: string
  needsSecondPerson: boolean
  digest: string
  printJobCount: number
}

/** Who confirms, and the digest and count that the person has seen. */
export type Confirmation = { confirmedBy: string; digest: string; printJobCount: number }

export type ConfirmDecision =
  | { kind: 'confirm' | 'confirmed-already' | 'own-plan' }
  | { kind: 'conflict'; whyNot: string }

export type StopDecision =
  | { kind: 'stop' | 'stopped-already' }
  | { kind: 'conflict'; whyNot: string }

/** Whether a person other than the planner must confirm. */
export function needsSecondPerson(printJobCount: number, secondPersonAbove: number): boolean {
  return printJobCount > secondPersonAbove
}

export function expiresAt({ plannedAt }: Pick<BulkActionFacts, 'plannedAt'>): Date {
  return new Date(plannedAt.getTime() + confirmWithinSeconds * 1_000)
}

export function bulkActionState(
  { state, plannedAt }: Pick<BulkActionFacts, 'state' | 'plannedAt'>,
  now: Date,
): BulkActionState {
  return state === 'PLANNED' && now >= expiresAt({ plannedAt }) ? 'EXPIRED' : state
}

/**
 * Decides whether a confirmation is accepted. The confirmer must have seen exactly what was planned. Confirming a
 * running or ended action again changes nothing.
 */
export function decideConfirmation(
  facts: BulkActionFacts,
  { confirmedBy, digest, printJobCount }: Confirmation,
  now: Date,
): ConfirmDecision {
  if (printJobCount !== facts.printJobCount) {
    return conflict(`The plan has ${facts.printJobCount} print jobs, not ${printJobCount}.`)
  }
  if (digest !== facts.digest)
    return conflict('The digest belongs to other print jobs or another action.')
  switch (bulkActionState(facts, now)) {
    case 'RUNNING':
    case 'ENDED':
      return { kind: 'confirmed-already' }
    case 'EXPIRED':
      return conflict('It was not confirmed within 24 hours. Plan it again.')
    case 'STOPPED':
      return conflict('It was stopped.')
    case 'PLANNED':
      return facts.needsSecondPerson && confirmedBy === facts.plannedBy
        ? { kind: 'own-plan' }
        : { kind: 'confirm' }
  }
}

/** Decides whether a stop is possible. Anybody may stop an action until it has ended; stopping a plan withdraws it. */
export function decideStop(
  facts: Pick<BulkActionFacts, 'state' | 'plannedAt'>,
  now: Date,
): StopDecision {
  switch (bulkActionState(facts, now)) {
    case 'STOPPED':
      return { kind: 'stopped-already' }
    case 'ENDED':
      return conflict('It has ended.')
    case 'EXPIRED':
      return conflict('It was not confirmed within 24 hours and has no effect.')
    case 'PLANNED':
    case 'RUNNING':
      return { kind: 'stop' }
  }
}

/**
 * Returns the reason for the timeline of each print job: it names the bulk action and, if another person confirmed the
 * plan, that person.
 */
export function reasonInTimeline({
  id,
  reason,
  plannedBy,
  confirmedBy,
}: {
  id: string
  reason: string
  plannedBy: string
  confirmedBy: string
}): string {
  const confirmed = confirmedBy === plannedBy ? '' : `, confirmed by consumer:${confirmedBy}`
  return `${reason} (bulk action ${id}${confirmed})`
}

/** The facts about a print job that decide whether the action is possible. */
export type BulkItemFacts = { heldBy: string | null } & Pick<
  PrintJobFacts,
  'status' | 'isDeleted' | 'isHeld' | 'isParked' | 'isPurged'
>

/** Returns why the action is not possible for a print job now; null if it is. */
export function whyNotNow(
  kind: BulkActionKind,
  { heldBy, ...facts }: BulkItemFacts,
): string | null {
  const known = { ...facts, isHeldByOperator: isHeldByOperator(heldBy) }
  return whyNotPossible(printJobActions[kind], known)
}

function conflict(whyNot: string): { kind: 'conflict'; whyNot: string } {
  return { kind: 'conflict', whyNot }
}
