import { londonDateOf } from '../calendar/london.ts'

/**
 * What a contract does with a submission that it need not accept: `report` accepts and reports it, `refuse` refuses it,
 * and a day such as 2027-02-01 refuses it from the beginning of that day in London, and reports it until then.
 */
export type RefusalTerm = string

/** The terms of a contract that are a RefusalTerm, with their value in a new contract. */
export const refusalTerms = {
  unknownMembers: 'report',
  unreadableFiles: 'refuse',
  lettersWithoutFile: 'report',
} as const satisfies Record<string, RefusalTerm>
export type RefusalTermName = keyof typeof refusalTerms
export const refusalTermNames = Object.keys(refusalTerms) as RefusalTermName[]

export function isRefusalTerm(text: string): boolean {
  return text === 'report' || text === 'refuse' || isDay(text)
}

/** Returns whether the contract refuses at this moment. */
export function refusesAt(term: RefusalTerm, now: Date): boolean {
  return term === 'refuse' || (isDay(term) && term <= londonDateOf(now))
}

/** Returns the day from which the contract refuses what it still reports, or undefined. */
export function refusesFrom(term: RefusalTerm, now: Date): string | undefined {
  return isDay(term) && !refusesAt(term, now) ? term : undefined
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
