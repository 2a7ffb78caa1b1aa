/** Why a letter came back, as public print services name it. */
export const returnReasons = {
  R01: 'gone away',
  R02: 'address incomplete',
  R03: 'address inaccessible',
  R04: 'addressee unknown',
  R05: 'gone away or refused',
  R06: 'not called for',
  R07: 'no such address',
  R08: 'no reason given',
  R09: 'deceased',
  R10: 'miscellaneous',
} as const
export type ReturnReasonCode = keyof typeof returnReasons
export const returnReasonCodes = Object.keys(returnReasons) as [
  ReturnReasonCode,
  ...ReturnReasonCode[],
]

/** What was done with it. */
export const returnDispositions = ['DESTROYED', 'FORWARDED'] as const
export type ReturnDisposition = (typeof returnDispositions)[number]

export type ReturnRefusal =
  | 'unknown-document'
  | 'not-despatched'
  | 'return-id-reused'
  | 'already-returned'

export type ReturnJudgement =
  | { kind: 'record' }
  /** The provider has told of it before. */
  | { kind: 'duplicate' }
  | { kind: 'refuse'; reason: ReturnRefusal }

/**
 * Whether a return may be recorded. `known` says what its id stands for so far; `letter` is the one that it names, if there is
 * one. A letter comes back once.
 */
export function judgeReturn(
  known: 'nothing' | 'the-same' | 'another',
  letter: { isDespatched: boolean; isReturned: boolean } | undefined,
): ReturnJudgement {
  if (known === 'the-same') return { kind: 'duplicate' }
  if (known === 'another') return { kind: 'refuse', reason: 'return-id-reused' }
  if (!letter) return { kind: 'refuse', reason: 'unknown-document' }
  if (!letter.isDespatched) return { kind: 'refuse', reason: 'not-despatched' }
  if (letter.isReturned) return { kind: 'refuse', reason: 'already-returned' }
  return { kind: 'record' }
}

/** `R01 gone away, destroyed`: why a letter came back and what was done with it, for its timeline. */
export function describeReturn({
  reasonCode,
  disposition,
}: {
  reasonCode: ReturnReasonCode
  disposition: ReturnDisposition
}): string {
  return `${reasonCode} ${returnReasons[reasonCode]}, ${disposition.toLowerCase()}`
}
