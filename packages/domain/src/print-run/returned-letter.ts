/** Why a letter was returned, in the words of public print services. */
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

/** What the provider did with the returned letter. */
export const returnDispositions = ['DESTROYED', 'FORWARDED'] as const
export type ReturnDisposition = (typeof returnDispositions)[number]

export type ReturnRefusal =
  | 'unknown-document'
  | 'not-despatched'
  | 'return-id-reused'
  | 'already-returned'

export type ReturnJudgement =
  | { kind: 'record' }
  /** The provider has reported it before. */
  | { kind: 'duplicate' }
  | { kind: 'refuse'; reason: ReturnRefusal }

/**
 * Decides whether a return may be recorded. `known` is what is stored under its id; `letter` is the letter that it
 * names, if it exists. A letter is returned at most once.
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

/** Returns the reason and the disposition for the timeline, such as `R01 gone away, destroyed`. */
export function describeReturn({
  reasonCode,
  disposition,
}: {
  reasonCode: ReturnReasonCode
  disposition: ReturnDisposition
}): string {
  return `${reasonCode} ${returnReasons[reasonCode]}, ${disposition.toLowerCase()}`
}
