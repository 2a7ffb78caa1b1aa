const counts = new Intl.NumberFormat('en-GB')
const timeZone = 'Europe/London'
const london = new Intl.DateTimeFormat('en-GB', {
  timeZone,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const zoned = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' })
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
]

/** Returns a count with separated thousands. */
export function count(value) {
  return counts.format(value)
}

/** Returns a count of documents in words. */
export function countDocuments(value) {
  return value === 1 ? '1 document' : `${count(value)} documents`
}

/** Returns an age in the largest unit that fits at least twice, otherwise in seconds; a dash if there is none. */
export function age(seconds) {
  if (seconds === null || seconds === undefined) return '–'
  const whole = Math.max(0, Math.floor(seconds))
  const unit = units.find(([, size]) => whole >= 2 * size)
  return unit ? `${count(Math.floor(whole / unit[1]))} ${unit[0]}` : `${whole} s`
}

/**
 * Returns a time in London, wherever the reader is, because the days and cut-offs of the factories follow London time;
 * a dash if there is none.
 */
export function moment(at) {
  if (!at || Number.isNaN(Date.parse(at))) return '–'
  const parts = Object.fromEntries(london.formatToParts(new Date(at)).map(namedPart))
  const { year, month, day, hour, minute, second } = parts
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

/** Returns the time zone of London at a time: GMT or BST. */
export function zone(at) {
  return zoned.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName').value
}

/**
 * Returns the UTC time for a London time such as 2026-06-30T23:30. In the hour that occurs twice, it returns the first.
 */
export function fromLondon(local) {
  const shown = local.replace('T', ' ')
  const inSummer = new Date(Date.parse(`${local}Z`) - 3_600_000).toISOString()
  return moment(inSummer).startsWith(shown) ? inSummer : new Date(`${local}Z`).toISOString()
}

function namedPart({ type, value }) {
  return [type, value]
}
