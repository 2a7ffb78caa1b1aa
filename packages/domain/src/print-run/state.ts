/**
 * OPEN collects. RELEASED is offered. CLAIMED is frozen and held under a lease. After the acknowledgement it is
 * ACCEPTED, ACCEPTED_WITH_EXCEPTIONS (some documents refused) or REFUSED (all of them, or the run as a whole).
 * IN_PRODUCTION has been reported on in part. POSTED: nothing of it is left on the floor. RECONCILED: every document is
 * accounted for. CLOSED: the provider or an operator has closed it, or it lost all its documents before a claim. VOIDED: an
 * operator has moved it, and its documents go on in another run.
 */
export const printRunStates = [
  'OPEN',
  'RELEASED',
  'CLAIMED',
  'ACCEPTED',
  'ACCEPTED_WITH_EXCEPTIONS',
  'REFUSED',
  'IN_PRODUCTION',
  'POSTED',
  'RECONCILED',
  'CLOSED',
  'VOIDED',
] as const
export type PrintRunState = (typeof printRunStates)[number]

export type AcknowledgedState = 'ACCEPTED' | 'ACCEPTED_WITH_EXCEPTIONS' | 'REFUSED'

/** The state of a claimed run once the provider has said how many of its documents it refuses. */
export function stateAfterAcknowledgement(counts: {
  documentCount: number
  refusedCount: number
}): AcknowledgedState {
  if (counts.refusedCount === 0) return 'ACCEPTED'
  return counts.refusedCount < counts.documentCount ? 'ACCEPTED_WITH_EXCEPTIONS' : 'REFUSED'
}

/** Of the documents that were claimed: how many have each outcome, and how many of the others are in a saved posting. */
export type PrintRunAccount = {
  expected: number
  despatched: number
  refused: number
  failed: number
  recalled: number
  /** Covered by a posting that is not confirmed. */
  posted: number
}

/** Documents that nobody can say the end of. */
export function missingCount(account: PrintRunAccount): number {
  const { expected, despatched, refused, failed, recalled } = account
  return expected - despatched - refused - failed - recalled
}

/** The state of an acknowledged run once something has been reported of its documents. */
export function stateOfWork(account: PrintRunAccount): 'IN_PRODUCTION' | 'POSTED' | 'RECONCILED' {
  const missing = missingCount(account)
  if (missing === 0) return 'RECONCILED'
  return missing === account.posted ? 'POSTED' : 'IN_PRODUCTION'
}

/** Whether documents of a run may be reported on, posted and accounted for: it was acknowledged, and not refused, closed or moved. */
export function isInProduction(state: PrintRunState): boolean {
  return inProduction.has(state)
}

const inProduction: ReadonlySet<PrintRunState> = new Set([
  'ACCEPTED',
  'ACCEPTED_WITH_EXCEPTIONS',
  'IN_PRODUCTION',
  'POSTED',
  'RECONCILED',
])
