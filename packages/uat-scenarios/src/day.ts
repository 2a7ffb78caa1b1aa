const londonDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' })

type Ahead = { years?: number; months?: number; days?: number }

/**
 * Returns the day in London, YYYY-MM-DD, that is `years`, `months` and `days` after a time, or before if negative. A day
 * that the month lacks becomes its last day: a year after 29 February is 28 February.
 */
export function dayAfter(time: Date, { years = 0, months = 0, days = 0 }: Ahead = {}): string {
  const [year = 0, month = 0, date = 0] = londonDay.format(time).split('-').map(Number)
  const ahead = new Date(Date.UTC(year + years, month - 1 + months, 1))
  const lastOfMonth = new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() + 1, 0))
  ahead.setUTCDate(Math.min(date, lastOfMonth.getUTCDate()) + days)
  return ahead.toISOString().slice(0, 10)
}

/** Stands in a table for the day that is this long after now. `asOf` replaces it. */
export function day({ years = 0, months = 0, days = 0 }: Ahead): string {
  return `@${years} ${months} ${days}`
}

/** Returns a record of a table with its days as of now, and without members that are undefined. */
export function asOf<Row>(now: Date, row: Row): Row {
  const text = JSON.stringify(row).replace(
    /"@(-?\d+) (-?\d+) (-?\d+)"/g,
    (_, years, months, days) =>
      `"${dayAfter(now, { years: Number(years), months: Number(months), days: Number(days) })}"`,
  )
  return JSON.parse(text) as Row
}
