const londonDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' })

/**
 * Returns the day in London, YYYY-MM-DD, that is `years`, `months` and `days` after now, or before if negative. A day
 * that the month lacks becomes its last day: a year after 29 February is 28 February.
 */
export function day(now: Date, { years = 0, months = 0, days = 0 } = {}): string {
  const [year = 0, month = 0, date = 0] = londonDay.format(now).split('-').map(Number)
  const ahead = new Date(Date.UTC(year + years, month - 1 + months, 1))
  const lastOfMonth = new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() + 1, 0))
  ahead.setUTCDate(Math.min(date, lastOfMonth.getUTCDate()) + days)
  return ahead.toISOString().slice(0, 10)
}
