const counts = new Intl.NumberFormat('en-GB')
const timeZone = 'Europe/London'
const dayMs = 86_400_000
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const
const byteUnits = ['bytes', 'KB', 'MB', 'GB'] as const

const london = format({
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const whole = format({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
const timeOfDay = format({ hour: '2-digit', minute: '2-digit' })
const clock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const weekday = format({ weekday: 'short' })
const dayOfMonth = format({ day: 'numeric', month: 'short' })
const dayOfYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
const londonYear = format({ year: 'numeric' })
const dayOfWeek = format({ weekday: 'short', day: 'numeric', month: 'short' })

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options })
}

/** Returns a count with separated thousands. */
export function count(value: number): string {
  return counts.format(value)
}

/** Returns a count of things in words, such as `1 letter` and `2 letters`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** Returns a share as a percentage without decimals. */
export function percent(part: number, all: number): string {
  return all === 0 ? '–' : `${Math.floor((100 * part) / all)}%`
}

/** Returns an age in the largest unit that fits at least twice, otherwise in seconds; a dash if there is none. */
export function age(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–'
  const full = Math.max(0, Math.floor(seconds))
  const unit = units.find(([, size]) => full >= 2 * size)
  return unit ? `${count(Math.floor(full / unit[1]))} ${unit[0]}` : `${full} s`
}

/** Returns a duration in its two largest units, such as `1 d 5 h`, and below a minute in seconds or milliseconds. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.floor(ms / 1_000)
  const index = units.findIndex(([, size]) => seconds >= size)
  const unit = units[index]
  if (!unit) return `${seconds} s`
  const next = units[index + 1]
  const rest = next ? Math.floor((seconds % unit[1]) / next[1]) : 0
  const first = `${count(Math.floor(seconds / unit[1]))} ${unit[0]}`
  return next && rest > 0 ? `${first} ${rest} ${next[0]}` : first
}

export function bytes(size: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3))
  const value = size / 1_000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : count(Math.round(value))} ${byteUnits[power]}`
}

/**
 * Returns a time in London, wherever the reader is, because the days and cut-offs of the factories follow London time;
 * a dash if there is none.
 */
export function moment(at: string | null | undefined): string {
  if (!at || Number.isNaN(Date.parse(at))) return '–'
  const parts = Object.fromEntries(
    london.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second } = parts
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

/** Returns a time in full, with its day of the week and time zone. */
export function inFull(at: string): string {
  return whole.format(new Date(at)).replace(/,(?= \d{4})|(?<=^\w+),/g, '')
}

/** Returns a time as short as its distance allows: `14:31`, `Mon 09:14`, `12 Oct`, `12 Oct 2025`. */
export function inShort(at: string, now = new Date()): string {
  const time = new Date(at)
  if (dayOfYear.format(time) === dayOfYear.format(now)) return timeOfDay.format(time)
  const distance = Math.abs(now.getTime() - time.getTime())
  if (distance < 6 * dayMs) return `${weekday.format(time)} ${timeOfDay.format(time)}`
  return (distance < 300 * dayMs ? dayOfMonth : dayOfYear).format(time)
}

/** Returns how far a time is away, such as `3 min ago` and `in 2 h`. */
export function relative(at: string, now = new Date()): string {
  const seconds = (now.getTime() - Date.parse(at)) / 1_000
  return seconds < 0 ? `in ${age(-seconds)}` : `${age(seconds)} ago`
}

/** Returns the time of day with seconds. */
export function clockTime(at: string): string {
  return clock.format(new Date(at))
}

/** Returns the day of a time, or of a date such as 2026-11-24, such as `Tue 24 Nov`; with the year if it is far away. */
export function dayName(at: string, now = new Date()): string {
  const time = new Date(at.length === 10 ? `${at}T12:00:00Z` : at)
  const isFar = Math.abs(now.getTime() - time.getTime()) > 300 * dayMs
  return `${dayOfWeek.format(time).replace(',', '')}${isFar ? ` ${londonYear.format(time)}` : ''}`
}

/** Returns the London date of a time, such as 2026-11-24. */
export function londonDate(at: Date): string {
  return moment(at.toISOString()).slice(0, 10)
}

/** Returns a date such as 2026-11-24, or undefined if the text is none, such as in an address that was typed. */
export function dateIn(text: string | undefined): string | undefined {
  const time = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`)
    ? text
    : undefined
}

/** Returns the date this many days after a date such as 2026-11-24. */
export function dayAfter(date: string, days = 1): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the time zone of London at a time: GMT or BST. */
export function zone(at: string): string {
  return whole.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')!.value
}

/**
 * Returns the UTC time for a London time such as 2026-06-30T23:30. In the hour that occurs twice, it returns the first.
 */
export function fromLondon(local: string): string {
  const shown = local.replace('T', ' ')
  const inSummer = new Date(Date.parse(`${local}Z`) - 3_600_000).toISOString()
  return moment(inSummer).startsWith(shown) ? inSummer : new Date(`${local}Z`).toISOString()
}
