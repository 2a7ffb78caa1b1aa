/** When failed attempts lock a user name or a source address, and for how long. */
export type LockoutRules = {
  /** The number of failed attempts that causes the first delay. */
  attempts: number
  firstDelayMs: number
  delayMsMax: number
}

/** Failed attempts so far, and the age of the last one in milliseconds. */
export type Failures = { failures: number; ageMs: number }

/**
 * Returns the delay after this many failed attempts, in milliseconds: at first 0, then the first delay, doubled with
 * each further attempt up to the maximum.
 */
export function lockDelayMs(failures: number, { attempts, ...delays }: LockoutRules): number {
  if (failures < attempts) return 0
  return Math.min(delays.firstDelayMs * 2 ** (failures - attempts), delays.delayMsMax)
}

/**
 * Returns true while all attempts are refused, including correct ones. Attempts during that time are not counted, so
 * waiting ends the lock.
 */
export function isLocked({ failures, ageMs }: Failures, rules: LockoutRules): boolean {
  return ageMs < lockDelayMs(failures, rules)
}
