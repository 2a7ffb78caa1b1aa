/** A day of the Gregorian calendar, in days since 1 January 1970. */
export type Day = number

export type DayParts = { year: number; month: number; day: number }

const daysInEra = 146_097
/** From 1 March of the year 0 to 1 January 1970. */
const daysBeforeEpoch = 719_468

/**
 * Returns the day of a date. A day beyond its month continues in the next, so 29 February of a common year is 1 March.
 */
export function dayOf(year: number, month: number, day: number): Day {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * daysInEra + dayOfEra - daysBeforeEpoch
}

export function partsOf(date: Day): DayParts {
  const shifted = date + daysBeforeEpoch
  const era = Math.floor(shifted / daysInEra)
  const dayOfEra = shifted - era * daysInEra
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
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

/** Cache of texts for the days from 1870 to 2170, because the same days are formatted repeatedly. */
const texts: string[] = []
const textsFrom = -36_525
const textsUntil = 73_050

/** Returns YYYY-MM-DD. */
export function formatDay(date: Day): string {
  if (date < textsFrom || date >= textsUntil) return formatParts(partsOf(date))

  const index = date - textsFrom
  const text = texts[index] ?? formatParts(partsOf(date))
  texts[index] = text
  return text
}

/** Returns the day of a YYYY-MM-DD text. Throws an error that names the field if the date does not exist. */
export function parseDay(text: string, field: string): Day {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  const date = dayOf(year, month, day)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || formatParts(partsOf(date)) !== text) {
    throw new Error(`${field} is not a date of the form YYYY-MM-DD`)
  }
  return date
}

function formatParts({ year, month, day }: DayParts): string {
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`
}
