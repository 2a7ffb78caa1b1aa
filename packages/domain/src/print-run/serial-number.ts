/** Every issued number of numbered stock has one of these states: issued = in stock + used + spoiled. */
const serialNumberStates = ['IN_STOCK', 'USED', 'SPOILED'] as const
export type SerialNumberState = (typeof serialNumberStates)[number]

/** One attempt at one document of a print run. */
export type DocumentAttempt = { batchNumber: string; documentId: string; attempt: number }

/** A stored number of a job type. */
export type SerialNumberStanding = {
  providerId: string
  state: SerialNumberState
  /** The attempt that was printed on it; null in stock, and if it was spoiled before use. */
  holder: DocumentAttempt | null
}

export type SerialNumberTaking = {
  providerId: string
  holder: DocumentAttempt
  /** Whether the print is good or spoiled. */
  as: 'USED' | 'SPOILED'
}

type SerialNumberJudgement =
  | { kind: 'take'; standing: SerialNumberStanding }
  /** Another document or attempt has it. */
  | { kind: 'taken' }
  /** Operators issue the stock of the job type, and the provider has no such number left. */
  | { kind: 'not-in-stock' }

/**
 * Decides whether an attempt may have a number of its job type. An attempt keeps its number, and a spoiled number stays
 * spoiled: reporting the number again changes nothing, in whatever order the reports arrive.
 */
export function judgeSerialNumber(
  standing: SerialNumberStanding | undefined,
  { providerId, holder, as }: SerialNumberTaking,
  { isStockControlled }: { isStockControlled: boolean },
): SerialNumberJudgement {
  const taken: SerialNumberJudgement = { kind: 'take', standing: { providerId, state: as, holder } }
  if (!standing) return isStockControlled ? { kind: 'not-in-stock' } : taken
  if (standing.holder) {
    if (!isSameAttempt(standing.holder, holder)) return { kind: 'taken' }
    return standing.state === 'SPOILED' ? { kind: 'take', standing } : taken
  }
  const isTheirs = standing.state === 'IN_STOCK' && standing.providerId === providerId
  return isTheirs ? taken : { kind: 'not-in-stock' }
}

function isSameAttempt(one: DocumentAttempt, other: DocumentAttempt): boolean {
  return (
    one.batchNumber === other.batchNumber &&
    one.documentId === other.documentId &&
    one.attempt === other.attempt
  )
}
