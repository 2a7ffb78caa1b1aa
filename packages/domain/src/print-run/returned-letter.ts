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
