/** A day of the Gregorian calendar, in days since 1 January 1970. */
export type Day = number

type DayParts = { year: number; month: number; day: number }

const dayMs = 86_400_000

/**
 * Returns the day of a date. A day beyond its month continues in the next, so 29 February of a common year is 1 March.
 */
export function dayOf(year: number, month: number, day: number): Day {
  return Date.UTC(year, month - 1, day) / dayMs
}

export function partsOf(date: Day): DayParts {
  const at = new Date(date * dayMs)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() }
}

/** Returns the same date `years` years later, or earlier if negative. */
export function anniversary(date: Day, years: number): Day {
  const { year, month, day } = partsOf(date)
  return dayOf(year + years, month, day)
}

/** Returns the same day of the month `months` months later, or the last day of a shorter month. */
export function monthsLater(date: Day, months: number): Day {
  const { year, month, day } = partsOf(date)
  const monthCount = year * 12 + month - 1 + months
  const first = dayOf(Math.floor(monthCount / 12), (monthCount % 12) + 1, 1)
  const next = dayOf(Math.floor((monthCount + 1) / 12), ((monthCount + 1) % 12) + 1, 1)
  return Math.min(first + day, next) - 1
}

/** Returns the whole years from a birth to a day. */
export function ageAt(birth: Day, date: Day): number {
  const years = partsOf(date).year - partsOf(birth).year
  return anniversary(birth, years) <= date ? years : years - 1
}

/** The same days are formatted repeatedly. */
const texts = new Map<Day, string>()

/** Returns YYYY-MM-DD. */
export function formatDay(date: Day): string {
  const text = texts.get(date) ?? new Date(date * dayMs).toISOString().slice(0, 10)
  texts.set(date, text)
  return text
}

/** Returns the day of a YYYY-MM-DD text. Throws an error that names the field if the date does not exist. */
export function parseDay(text: string, field: string): Day {
  const date = Date.parse(text) / dayMs
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(date) || formatDay(date) !== text) {
    throw new Error(`${field} is not a date of the form YYYY-MM-DD`)
  }
  return date
}
