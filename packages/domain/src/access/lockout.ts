/** When failed attempts cause a lock, and for how long. */
type LockoutRules = {
  /** The number of failed attempts that causes the first delay. */
  attempts: number
  firstDelayMs: number
  delayMsMax: number
}

/** Failed attempts so far, and the age of the last one in milliseconds. */
type Failures = { failures: number; ageMs: number }

/**
 * What failed attempts are counted for: a user name at one source, a user name at all sources, a source with all its
 * user names.
 */
const signInSubjectKinds = ['pair', 'user', 'source'] as const
export type SignInSubjectKind = (typeof signInSubjectKinds)[number]
export type SignInLimits = Record<SignInSubjectKind, LockoutRules>

export type SignInHistory = {
  /** The failed attempts of each subject that has any. */
  failures: Partial<Record<SignInSubjectKind, Failures>>
  /** True if the user name has recently signed in from this source. */
  isKnown: boolean
}

export type SignInDecision = {
  /** True if the attempt is refused, even with the right credentials. */
  isRefused: boolean
  /** The time until the last lock ends, in milliseconds; 0 without a lock. */
  lockedMs: number
  /** For which subjects the attempt counts if it fails or is refused. */
  counted: readonly SignInSubjectKind[]
}

/**
 * Decides whether a sign-in attempt is refused. The lock of the pair always applies. That of the user name or of the
 * source is caused by others too. So it spares a known pair, and that of the source spares a pair without a failed
 * attempt.
 *
 * `lockedMs` and `counted` do not depend on `isKnown`: otherwise an attacker at the same source could see who signs in
 * from there. For the same reason a refused attempt counts like a failed one. It never prolongs a lock that applies
 * already, so waiting ends the lock.
 */
export function decideSignIn(
  { failures, isKnown }: SignInHistory,
  limits: SignInLimits,
): SignInDecision {
  const lockedMs = (kind: SignInSubjectKind) => lockedMsOf(failures[kind], limits[kind])
  const isPairLocked = lockedMs('pair') > 0
  const isLockedByOthers =
    lockedMs('user') > 0 || (lockedMs('source') > 0 && failures.pair !== undefined)
  return {
    isRefused: isPairLocked || (isLockedByOthers && !isKnown),
    lockedMs: Math.max(...signInSubjectKinds.map(lockedMs)),
    counted: isPairLocked ? [] : signInSubjectKinds.filter((kind) => lockedMs(kind) === 0),
  }
}

/**
 * Returns the delay after this many failed attempts, in milliseconds: at first 0, then the first delay, doubled with
 * each further attempt up to the maximum.
 */
export function lockDelayMs(failures: number, { attempts, ...delays }: LockoutRules): number {
  if (failures < attempts) return 0
  return Math.min(delays.firstDelayMs * 2 ** (failures - attempts), delays.delayMsMax)
}

function lockedMsOf(known: Failures | undefined, rules: LockoutRules): number {
  return known ? Math.max(0, lockDelayMs(known.failures, rules) - known.ageMs) : 0
}
