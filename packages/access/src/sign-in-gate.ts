import { isLocked, type LockoutRules } from '@despatch/domain/access/lockout'
import { sourceOf } from '@despatch/domain/access/source-address'
import {
  clearSignInFailures,
  countSignInFailure,
  listSignInFailures,
  type SignInSubject,
} from '@despatch/store/access/sign-in-failures'
import type { Db } from '@despatch/store/database'
import { keyedHash } from './keyed-hash.ts'

/** A sign-in attempt: the user name and the network address it comes from. */
export type SignInAttempt = { userName: string; source: string }

export type SignInLimits = { user: LockoutRules; source: LockoutRules }

/** Returns the lockout rules that the settings of a service define. */
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

/** Wrong attempts are forgotten when none has been added for this long. */
export const userForgetSeconds = 24 * 60 * 60
const sourceForgetSeconds = 60 * 60

export type SignInGate = {
  /**
   * Returns true while the user name or the source is locked. Call it before the check and, if the credentials were
   * right, again after it. So of many concurrent guesses, those that end after the lock began are refused.
   */
  isShut(attempt: SignInAttempt): Promise<boolean>
  /** Counts a wrong attempt, whether or not the user exists, so that a lock does not reveal which users exist. */
  countFailure(db: Db, attempt: SignInAttempt): Promise<void>
  /**
   * Forgets the wrong attempts of the user name. Those of the source stay: otherwise an attacker with one account of
   * their own could guess at all others without limit.
   */
  clear(attempt: SignInAttempt): Promise<void>
}

/** Protects sign-in against guessing. The counts are in the database under keyed hashes, shared by all processes. */
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
      const known = await listSignInFailures(db, [userOf(attempt), sourceSubjectOf(attempt)])
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
