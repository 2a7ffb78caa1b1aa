const counts = new Intl.NumberFormat('en-GB')

/** Returns a count with separated thousands. */
export function renderCount(count: number): string {
  return counts.format(count)
}

/** Returns a count of things in words, such as `1 letter` and `2 letters`. */
export function renderCountOf(count: number, one: string, many = `${one}s`): string {
  return `${renderCount(count)} ${count === 1 ? one : many}`
}

const momentParts = {
  timeZone: 'Europe/London',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const
const timeOfDay = new Intl.DateTimeFormat('en-GB', momentParts)
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  ...momentParts,
  day: 'numeric',
  month: 'short',
})
const dayMs = 86_400_000

/** Returns the time of day in London, with the day if it is at least 24 hours ago. */
export function renderSince(since: Date, now: Date): string {
  const format = now.getTime() - since.getTime() < dayMs ? timeOfDay : dayAndTime
  return format.format(since)
}
