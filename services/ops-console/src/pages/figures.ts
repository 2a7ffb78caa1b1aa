const counts = new Intl.NumberFormat('en-GB')

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const

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

/**
 * Returns an age in the largest of days, hours and minutes that fits at least twice, otherwise in seconds; a dash for
 * null.
 */
export function renderAge(seconds: number | null): string {
  if (seconds === null) return '–'
  const whole = Math.max(0, Math.floor(seconds))
  const unit = units.find((candidate) => whole >= 2 * candidate.seconds)
  return unit ? `${renderCount(Math.floor(whole / unit.seconds))} ${unit.name}` : `${whole} s`
}
