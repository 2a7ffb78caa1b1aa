/**
 * OPEN: gathers documents. RELEASED: offered. CLAIMED: frozen and leased. After the acknowledgement the state is
 * ACCEPTED, ACCEPTED_WITH_EXCEPTIONS (some documents refused) or REFUSED (all of them, or the run as a whole).
 * IN_PRODUCTION: reported on in part. POSTED: every document without another outcome is posted. RECONCILED: every
 * document is accounted for. CLOSED: the provider or an operator has closed the run, or it lost all its documents
 * before a claim. VOIDED: an operator has moved the run, and its documents continue in another run.
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

/** The states of a recall of documents, and of a reprint that needs a second person. */
export const recallStates = ['OPEN', 'ACCEPTED', 'PARTLY_ACCEPTED', 'REJECTED'] as const
export const reprintStates = ['WAITING', 'AUTHORISED', 'REFUSED'] as const

export type AcknowledgedState = 'ACCEPTED' | 'ACCEPTED_WITH_EXCEPTIONS' | 'REFUSED'

/** Returns the state of a claimed run once the provider has reported how many of its documents it refuses. */
export function stateAfterAcknowledgement(counts: {
  documentCount: number
  refusedCount: number
}): AcknowledgedState {
  if (counts.refusedCount === 0) return 'ACCEPTED'
  return counts.refusedCount < counts.documentCount ? 'ACCEPTED_WITH_EXCEPTIONS' : 'REFUSED'
}

/** Counts of the claimed documents: how many have each outcome, and how many of the others are in a saved posting. */
export type ReconciliationCounts = {
  expected: number
  despatched: number
  refused: number
  failed: number
  recalled: number
  /** In an unconfirmed posting. */
  posted: number
}

/** Returns the number of documents without an outcome. */
export function missingCount(account: ReconciliationCounts): number {
  const { expected, despatched, refused, failed, recalled } = account
  return expected - despatched - refused - failed - recalled
}

/** Returns the state of an acknowledged run once something has been reported about its documents. */
export function stateOfWork(
  account: ReconciliationCounts,
): 'IN_PRODUCTION' | 'POSTED' | 'RECONCILED' {
  const missing = missingCount(account)
  if (missing === 0) return 'RECONCILED'
  return missing === account.posted ? 'POSTED' : 'IN_PRODUCTION'
}

/**
 * Whether documents of a run may be reported on, posted and accounted for: the run was acknowledged, and not refused,
 * closed or moved.
 */
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
