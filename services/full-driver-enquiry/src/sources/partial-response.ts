import type { SourceProblemKind } from '@despatch/contracts/full-driver-enquiry/problems'
import type { PartialAcceptance } from '@despatch/contracts/full-driver-enquiry/retrieve-request'

/** The state of the data from one source. */
export type PartState = 'not-asked' | 'answered' | PartFailure
export type PartFailure = 'failed' | 'unavailable' | 'timed-out'

type Missing = { kind: SourceProblemKind; detail: string }

type PartialDecision =
  /** The response is sent. It is complete if nothing is missing. */
  { kind: 'answer'; missing: readonly Missing[] } | { kind: 'refuse'; problem: Missing }

/**
 * Decides whether a response that may lack data is sent. Spec: onConditionCPCAvailable accepts a partial response "only
 * on condition that CPC data was retrieved", so not if it was not requested. The same applies to tachograph data. If
 * both sources failed and the response is refused, a timeout takes precedence over an unavailable source, and that over
 * a failed one: the problem that a retry is most likely to solve comes first.
 */
export function decidePartialResponse({
  cpc,
  tachograph,
  accepts,
}: {
  cpc: PartState
  tachograph: PartState
  accepts: PartialAcceptance
}): PartialDecision {
  const parts = [
    { name: 'CPC data', state: cpc },
    { name: 'Tachograph data', state: tachograph },
  ]
  const missing = parts.flatMap(({ name, state }) => (isFailure(state) ? [miss(name, state)] : []))
  if (missing.length === 0 || isAccepted({ cpc, tachograph, accepts })) {
    return { kind: 'answer', missing }
  }
  const first = byPrecedence.find((kind) => missing.some((each) => each.kind === kind))!
  const detail = missing.map((each) => each.detail).join('. ')
  return { kind: 'refuse', problem: { kind: first, detail } }
}

function isFailure(state: PartState): state is PartFailure {
  return state !== 'not-asked' && state !== 'answered'
}

const problemOf = {
  failed: { kind: 'source-failed', reason: 'its source failed' },
  unavailable: { kind: 'source-unavailable', reason: 'its source is not available' },
  'timed-out': { kind: 'source-timed-out', reason: 'its source did not respond in time' },
} as const satisfies Record<PartFailure, { kind: SourceProblemKind; reason: string }>

const byPrecedence: readonly SourceProblemKind[] = [
  'source-timed-out',
  'source-unavailable',
  'source-failed',
]

function miss(name: string, state: PartFailure): Missing {
  const { kind, reason } = problemOf[state]
  return { kind, detail: `${name} could not be retrieved: ${reason}` }
}

function isAccepted({
  cpc,
  tachograph,
  accepts,
}: {
  cpc: PartState
  tachograph: PartState
  accepts: PartialAcceptance
}): boolean {
  switch (accepts) {
    case 'false':
      return false
    case 'true':
      return true
    case 'onConditionCPCAvailable':
      return cpc === 'answered'
    case 'onConditionTachoAvailable':
      return tachograph === 'answered'
  }
}
