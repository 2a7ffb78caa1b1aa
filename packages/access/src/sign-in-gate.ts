import { isLocked, type LockoutRules } from '@despatch/domain/access/lockout'
import { sourceOf } from '@despatch/domain/access/source-address'
import {
  clearSignInFailures,
  countSignInFailure,
  findSignInFailures,
  type SignInSubject,
} from '@despatch/store/access/sign-in-failures'
import type { Db } from '@despatch/store/database'
import { keyedHash } from './keyed-hash.ts'

/** A try to show who one is: under which user name, and from which network address. */
export type SignInAttempt = { userName: string; source: string }

export type SignInLimits = { user: LockoutRules; source: LockoutRules }

/** The settings by which a service locks, and the rules that they make. */
export function signInLimits(settings: {
  DESPATCH_LOCKOUT_USER_ATTEMPTS: number
  DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: number
  DESPATCH_LOCKOUT_FIRST_DELAY_MS: number
  DESPATCH_LOCKOUT_DELAY_MS_MAX: number
}): SignInLimits {
  const delays = {
    firstDelayMs: settings.DESPATCH_LOCKOUT_FIRST_DELAY_MS,
    delayMsMax: settings.DESPATCH_LOCKOUT_DELAY_MS_MAX,
  }
  return {
    user: { attempts: settings.DESPATCH_LOCKOUT_USER_ATTEMPTS, ...delays },
    source: { attempts: settings.DESPATCH_LOCKOUT_SOURCE_ATTEMPTS, ...delays },
  }
}

/** Wrong attempts are forgotten when none has been added for so long. */
export const userForgetSeconds = 24 * 60 * 60
const sourceForgetSeconds = 60 * 60

export type SignInGate = {
  /**
   * True while the user name or the source is locked. Ask before the check and, when it found the attempt right, again after
   * it: of many guesses at once those that end after the lock came into force are refused.
   */
  isShut(attempt: SignInAttempt): Promise<boolean>
  /** Counts a wrong attempt, whether or not there is such a user: nobody learns from a lock who is known. */
  countFailure(db: Db, attempt: SignInAttempt): Promise<void>
  /**
   * Forgets the wrong attempts of the user name. Those of the source stay, or somebody with one account of his own could
   * guess at all others without end.
   */
  clear(attempt: SignInAttempt): Promise<void>
}

/** Guards sign-in against guessing. What it counts is in the database, by keyed hashes, for all processes together. */
export function createSignInGate({
  db,
  secretKeyHex,
  limits,
}: {
  db: Db
  secretKeyHex: string
  limits: SignInLimits
}): SignInGate {
  const hashUserName = keyedHash(secretKeyHex, 'sign-in user name')
  const hashSource = keyedHash(secretKeyHex, 'sign-in source')
  const userOf = ({ userName }: SignInAttempt): SignInSubject => ({
    kind: 'user',
    hash: hashUserName(userName),
  })
  const sourceSubjectOf = ({ source }: SignInAttempt): SignInSubject => ({
    kind: 'source',
    hash: hashSource(sourceOf(source)),
  })

  return {
    isShut: async (attempt) => {
      const known = await findSignInFailures(db, [userOf(attempt), sourceSubjectOf(attempt)])
      return known.some((failures) => isLocked(failures, limits[failures.kind]))
    },
    countFailure: (tx, attempt) =>
      countSignInFailure(tx, [
        { ...userOf(attempt), forgetSeconds: userForgetSeconds },
        { ...sourceSubjectOf(attempt), forgetSeconds: sourceForgetSeconds },
      ]),
    clear: (attempt) => clearSignInFailures(db, userOf(attempt)),
  }
}
