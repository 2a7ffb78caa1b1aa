import { z } from 'zod'

export const dayMs = 24 * 60 * 60 * 1000

const mustBeDay = 'must be a day such as 2026-12-24'
// ISO 8601 has a year 0; PostgreSQL does not.
export const day = z.iso.date(mustBeDay).refine((given) => !given.startsWith('0000'), mustBeDay)

/**
 * Returns what is wrong with the last day of a range if it is before the first day. Returns undefined if one is not a
 * day.
 */
export function orderFault(from: string, to: string): string | undefined {
  return Date.parse(to) < Date.parse(from) ? `must not be before from, ${from}` : undefined
}
