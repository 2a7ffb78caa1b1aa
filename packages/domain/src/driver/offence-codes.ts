import { type Offence, offences } from './offences.ts'

/** The driver's part in an offence, by the last digit of the code. The offence's own code ends in 0. */
const parts: Record<string, string> = {
  2: 'Aiding, abetting, counselling or procuring',
  4: 'Causing or permitting',
  6: 'Inciting',
}

/**
 * Returns the offence of a code, with its penalty points and how long it stays on the record; undefined for an unknown
 * code. A last digit of 2, 4 or 6 instead of 0 means aiding, causing or permitting, or inciting, and counts as the
 * offence itself.
 */
export function findOffence(code: string): Offence | undefined {
  const known = offences.get(code)
  if (known) return known

  const part = parts[code.slice(-1)]
  const offence = part && offences.get(`${code.slice(0, -1)}0`)
  return offence ? { ...offence, legalLiteral: `${part}: ${offence.legalLiteral}` } : undefined
}

/** Returns the legal text of an offence code, including codes that end in 2, 4 or 6; undefined for an unknown code. */
export function offenceLegalLiteral(code: string): string | undefined {
  return findOffence(code)?.legalLiteral
}

export type PenaltyPointsFacts = {
  offenceCode: string
  /** YYYY-MM-DD. */
  offenceDate?: string
  /** YYYY-MM-DD. */
  convictionDate?: string
  /** True: the offence led to a disqualification. */
  disqualified: boolean
}

/**
 * Returns the day on which an endorsement leaves the record: 4 or 11 years from the offence or the conviction,
 * depending on its code. An offence that led to a disqualification counts from the conviction. 29 February becomes the
 * 28th in other years. Returns undefined for an unknown code, or if the date to count from is unknown.
 */
export function penaltyPointsExpiryDate(facts: PenaltyPointsFacts): string | undefined {
  const offence = findOffence(facts.offenceCode)
  if (!offence) return undefined

  const fromConviction = facts.disqualified || offence.keptFrom === 'conviction'
  const from = fromConviction ? facts.convictionDate : facts.offenceDate
  return from && yearsLater(from, offence.keptYears)
}

function yearsLater(date: string, years: number): string {
  const year = Number(date.slice(0, 4)) + years
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const monthAndDay = date.slice(4)
  return `${year}${monthAndDay === '-02-29' && !isLeapYear ? '-02-28' : monthAndDay}`
}
