/** Returns noon of a day in a month to come. The months of the past have no partitions of their own. */
export function inMonths(months: number, day = 10): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day, 12))
}

/** Returns the month as names of partitions have it: `2027_05`. */
export function nameOfMonth(at: Date): string {
  return at.toISOString().slice(0, 7).replace('-', '_')
}
