const counts = new Intl.NumberFormat('en-GB')
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
]

/** A count with its thousands apart. */
export function count(value) {
  return counts.format(value)
}

/** An age in the largest unit of which there are two or more; a dash when there is none. */
export function age(seconds) {
  if (seconds === null || seconds === undefined) return '–'
  const whole = Math.max(0, Math.floor(seconds))
  const unit = units.find(([, size]) => whole >= 2 * size)
  return unit ? `${count(Math.floor(whole / unit[1]))} ${unit[0]}` : `${whole} s`
}

/** A moment in Coordinated Universal Time; a dash when there is none. */
export function moment(at) {
  return at ? String(at).replace('T', ' ').slice(0, 19) : '–'
}
