import { chance } from './chance.ts'
import type { FloorSettings } from './settings.ts'

/** The outcome that a test environment orders for a document. `hold`: the factory prints it and never hands it over. */
export type DocumentOrder =
  | { outcome: 'print' | 'hold' }
  | { outcome: 'refuse' | 'spoil' | 'fail'; reasonCode: string; reason: string }
  | { outcome: 'return'; reasonCode: string }

type DocumentAttempt = { documentId: string; attempt: number; firstAttempt: number }

export type PlannedOutcome =
  | { kind: 'enclose'; diversion?: Cause }
  | ({ kind: 'spoil' } & Cause)
  | ({ kind: 'fail' } & Cause)
type Cause = { reasonCode: string; reason: string }

/** After this many further attempts, chance no longer spoils a document. */
const spoiledAttemptsMax = 3

const returnReasonCodes = ['R01', 'R02', 'R03', 'R04', 'R05', 'R06', 'R07', 'R08', 'R09', 'R10']

/** Returns why a document is refused before printing, or undefined. An order takes precedence over chance. */
export function decideRefusal(
  documentId: string,
  order: DocumentOrder,
  { seed, refusalRate }: Pick<FloorSettings, 'seed' | 'refusalRate'>,
): Cause | undefined {
  if (order.outcome === 'refuse') return { reasonCode: order.reasonCode, reason: order.reason }
  if (order.outcome !== 'print' || chance(seed, 'refuse', documentId) >= refusalRate) return
  return { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }
}

/** Returns the outcome of an attempt at a document. An ordered spoilage affects the first attempt only. */
export function decideOutcome(
  { documentId, attempt, firstAttempt }: DocumentAttempt,
  order: DocumentOrder,
  {
    seed,
    failRate,
    spoilRate,
    divertRate,
  }: Pick<FloorSettings, 'seed' | 'failRate' | 'spoilRate' | 'divertRate'>,
): PlannedOutcome {
  if (order.outcome === 'fail') {
    return { kind: 'fail', reasonCode: order.reasonCode, reason: order.reason }
  }
  if (order.outcome === 'spoil' && attempt === firstAttempt) {
    return { kind: 'spoil', reasonCode: order.reasonCode, reason: order.reason }
  }
  if (order.outcome !== 'print') return { kind: 'enclose' }
  const happens = (what: string, rate: number) => chance(seed, what, documentId, attempt) < rate
  if (happens('fail', failRate)) {
    return { kind: 'fail', reasonCode: 'JAM', reason: 'The paper jams repeatedly' }
  }
  if (attempt < firstAttempt + spoiledAttemptsMax && happens('spoil', spoilRate)) {
    return { kind: 'spoil', reasonCode: 'SMUDGED', reason: 'The toner is smudged' }
  }
  if (!happens('divert', divertRate)) return { kind: 'enclose' }
  return {
    kind: 'enclose',
    diversion: { reasonCode: 'INSPECTION', reason: 'The camera requests an inspection' },
  }
}

/** Returns the reason for which a posted letter comes back, or undefined. */
export function decideReturn(
  documentId: string,
  order: DocumentOrder,
  { seed, returnRate }: Pick<FloorSettings, 'seed' | 'returnRate'>,
): string | undefined {
  if (order.outcome === 'return') return order.reasonCode
  if (order.outcome !== 'print' || chance(seed, 'return', documentId) >= returnRate) return
  const place = chance(seed, 'return reason', documentId) * returnReasonCodes.length
  return returnReasonCodes[Math.floor(place)]
}
