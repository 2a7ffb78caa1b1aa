/** When wrong attempts lock a user name or a source address, and for how long. */
export type LockoutRules = {
  /** So many wrong attempts bring the first delay. */
  attempts: number
  firstDelayMs: number
  delayMsMax: number
}

/** Wrong attempts so far, and how long ago the last of them was. */
export type Failures = { failures: number; ageMs: number }

/** The delay that so many wrong attempts bring: none at first, then the first delay, doubling with each further one. */
export function lockDelayMs(failures: number, { attempts, ...delays }: LockoutRules): number {
  if (failures < attempts) return 0
  return Math.min(delays.firstDelayMs * 2 ** (failures - attempts), delays.delayMsMax)
}

/** True while attempts are refused, right ones too. What is tried meanwhile is not counted: waiting it out helps. */
export function isLocked({ failures, ageMs }: Failures, rules: LockoutRules): boolean {
  return ageMs < lockDelayMs(failures, rules)
}
