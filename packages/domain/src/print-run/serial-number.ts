/** Every number of numbered stock that was issued is one of these: issued = in stock + used + spoiled. */
const serialNumberStates = ['IN_STOCK', 'USED', 'SPOILED'] as const
export type SerialNumberState = (typeof serialNumberStates)[number]

/** One attempt at one document of a print run. */
export type DocumentAttempt = { batchNumber: string; documentId: string; attempt: number }

/** A number that is known of a job type. */
export type SerialNumberStanding = {
  providerId: string
  state: SerialNumberState
  /** What was printed on it; null in stock, and for what was spoiled before its use. */
  holder: DocumentAttempt | null
}

export type SerialNumberTaking = {
  providerId: string
  holder: DocumentAttempt
  /** Whether what was printed on it is good. */
  as: 'USED' | 'SPOILED'
}

export type SerialNumberJudgement =
  | { kind: 'take'; standing: SerialNumberStanding }
  /** Another document or attempt has it. */
  | { kind: 'taken' }
  /** The stock of the job type is issued by operators, and the provider has no such number left. */
  | { kind: 'not-in-stock' }

/**
 * Whether a document may have a number of its job type. What an attempt has it keeps, and once spoiled it stays so: naming the
 * number again changes nothing, in whatever order a provider tells of it.
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
