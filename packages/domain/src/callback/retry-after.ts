/**
 * Returns the seconds that a Retry-After header requests: a whole number or an HTTP date (RFC 9110, section 10.2.3).
 * A date counts from the `Date` header of the same response, since it is of the receiver's clock; without a valid one,
 * from `now`. Returns undefined if the header is absent or is neither, and 0 for a date in the past.
 */
export function parseRetryAfter(
  header: string | undefined,
  { date, now }: { date: string | undefined; now: Date },
): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  const at = parseHttpDate(text)
  if (at === undefined) return undefined
  const from = parseHttpDate(date?.trim() ?? '') ?? now.getTime()
  return Math.max(0, Math.ceil((at - from) / 1000))
}

/** Returns the milliseconds of an HTTP date; undefined if the text is none. */
function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  // all are of GMT, also in the format of asctime, which does not say so
  const at = Date.parse(`${text} GMT`)
  return Number.isNaN(at) ? undefined : at
}
