import { type ActionFacts, type PrintJobAction, possibleActions } from '../print-job/actions.ts'
import { isHeldByOperator } from '../print-job/send-control.ts'

/** What may be done with many print jobs at once. */
export const bulkActionKinds = [
  'hold',
  'release',
  'cancel',
  'redrive',
] as const satisfies readonly PrintJobAction[]
export type BulkActionKind = (typeof bulkActionKinds)[number]

/** As it is stored: nothing is written when a plan expires. */
export type StoredBulkActionState = Exclude<BulkActionState, 'EXPIRED'>

/** What is told of it. STOPPED, ENDED and EXPIRED are final. */
export const bulkActionStates = ['PLANNED', 'EXPIRED', 'RUNNING', 'STOPPED', 'ENDED'] as const
export type BulkActionState = (typeof bulkActionStates)[number]

/** What became of one of its print jobs. */
export const bulkItemOutcomes = ['done', 'refused', 'absent', 'not-begun'] as const
export type BulkItemOutcome = (typeof bulkItemOutcomes)[number]

export const bulkPrintJobsMax = 1_000

/** A plan that nobody confirms within it cannot be confirmed any more. */
const confirmWithinSeconds = 86_400

export type BulkActionFacts = {
  state: StoredBulkActionState
  plannedAt: Date
  plannedBy: string
  needsSecondPerson: boolean
  digest: string
  printJobCount: number
}

/** What whoever confirms has seen, and who it is. */
export type Confirmation = { confirmedBy: string; digest: string; printJobCount: number }

export type ConfirmDecision =
  | { kind: 'confirm' | 'confirmed-already' | 'own-plan' }
  | { kind: 'conflict'; whyNot: string }

export type StopDecision =
  | { kind: 'stop' | 'stopped-already' }
  | { kind: 'conflict'; whyNot: string }

/** Whether somebody other than the planner has to confirm. */
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

/** Who confirms must have seen exactly what was planned. Confirming again what goes on or has ended changes nothing. */
export function decideConfirmation(
  facts: BulkActionFacts,
  { confirmedBy, digest, printJobCount }: Confirmation,
  now: Date,
): ConfirmDecision {
  if (printJobCount !== facts.printJobCount) {
    return conflict(`Its count of print jobs is ${facts.printJobCount}, not ${printJobCount}.`)
  }
  if (digest !== facts.digest)
    return conflict('The digest is of other print jobs or another action.')
  switch (bulkActionState(facts, now)) {
    case 'RUNNING':
    case 'ENDED':
      return { kind: 'confirmed-already' }
    case 'EXPIRED':
      return conflict('Nobody confirmed it within 24 hours: plan it again.')
    case 'STOPPED':
      return conflict('It was stopped.')
    case 'PLANNED':
      return facts.needsSecondPerson && confirmedBy === facts.plannedBy
        ? { kind: 'own-plan' }
        : { kind: 'confirm' }
  }
}

/** Anybody may stop it until it has ended; a plan is withdrawn by it. */
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
      return conflict('Nobody confirmed it within 24 hours: it does nothing any more.')
    case 'PLANNED':
    case 'RUNNING':
      return { kind: 'stop' }
  }
}

/** What the timeline of each print job tells as the reason: which bulk action it was, and who confirmed another's plan. */
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

/** What of a print job decides whether it is possible. */
export type BulkItemFacts = { heldBy: string | null } & Pick<
  ActionFacts,
  'status' | 'isDeleted' | 'isHeld' | 'isParked' | 'isPurged'
>

/** Why it is not possible with a print job now; null: it is. */
export function whyNotNow(
  kind: BulkActionKind,
  { heldBy, ...facts }: BulkItemFacts,
): string | null {
  const possible = possibleActions({
    ...facts,
    isHeldByOperator: isHeldByOperator(heldBy),
    // neither counts for any of these
    isInPrintRun: false,
    isAsSupplied: false,
  })
  return possible.find(({ action }) => action === kind)?.whyNot ?? null
}

function conflict(whyNot: string): { kind: 'conflict'; whyNot: string } {
  return { kind: 'conflict', whyNot }
}
