/**
 * OPEN collects. RELEASED is offered. CLAIMED is frozen and held under a lease. After the acknowledgement it is
 * ACCEPTED, ACCEPTED_WITH_EXCEPTIONS (some documents refused) or REFUSED (all of them). IN_PRODUCTION has been posted
 * in part, POSTED in full. A run that lost all its documents before a claim is CLOSED.
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
