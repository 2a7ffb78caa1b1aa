/** The bits of a search term below the period. Two words have the same hash once in 9 million million pairs. */
export const searchHashBits = 43
export const searchPeriodBits = 64 - searchHashBits
/** 37 hours. */
const periodMs = 2 ** (48 - searchPeriodBits)

/** Returns the period of a print job. Shifted left by `searchHashBits`, it is the lower bound of its terms. */
export function searchPeriodOf(key: string): number {
  const ms = Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16)
  return Math.floor(ms / periodMs) - 2 ** (searchPeriodBits - 1)
}

/**
 * Returns the least key of a print job that was submitted at this time or later. Keys begin with the milliseconds since
 * 1970, in 48 bits.
 */
export function leastKeyAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
