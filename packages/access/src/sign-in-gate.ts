import {
  decideSignIn,
  type SignInDecision,
  type SignInLimits,
  type SignInSubjectKind,
} from '@despatch/domain/access/lockout'
import { sourceOf } from '@despatch/domain/access/source-address'
import {
  countSignInFailure,
  readSignInHistory,
  recordSignIn,
  type SignInSubjects,
} from '@despatch/store/access/sign-in-history'
import type { Db } from '@despatch/store/database'
import { keyedHash } from './keyed-hash.ts'

/** A sign-in attempt: the user name and the network address it comes from. */
export type SignInAttempt = { userName: string; source: string }

/**
 * It gives no reason, because a reason would help an attacker to guess. `retryAfterSeconds` is present while a lock
 * applies.
 */
export type SignInRefusal = { kind: 'refused'; retryAfterSeconds?: number }

/** Few guesses fit into an hour at this delay, and a person who is locked by others does not wait long. */
const delayMsMax = 15 * 60 * 1_000

/** Returns the lockout rules that the settings of a service define. */
export function signInLimits(settings: {
  DESPATCH_LOCKOUT_USER_ATTEMPTS: number
  DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: number
  DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: number
  DESPATCH_LOCKOUT_FIRST_DELAY_MS: number
}): SignInLimits {
  const delays = { firstDelayMs: settings.DESPATCH_LOCKOUT_FIRST_DELAY_MS, delayMsMax }
  return {
    pair: { attempts: settings.DESPATCH_LOCKOUT_USER_ATTEMPTS, ...delays },
    user: { attempts: settings.DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS, ...delays },
    source: { attempts: settings.DESPATCH_LOCKOUT_SOURCE_ATTEMPTS, ...delays },
  }
}

const daySeconds = 24 * 60 * 60
/** Wrong attempts are forgotten when none has been added for this long. */
const forgetSeconds = { pair: daySeconds, user: daySeconds, source: 60 * 60 }

/** How long the database keeps wrong attempts, and user names that signed in from a source. */
export const signInRetention = { failureSeconds: daySeconds, knownDays: 30 }

export type SignInGate = {
  /**
   * Decides whether the attempt is refused. Call it before the check and, if the credentials were right, again after
   * it. So a guess that began before a lock and ends after the lock began is refused too.
   */
  decide(attempt: SignInAttempt): Promise<SignInDecision>
  /**
   * Counts a wrong or refused attempt, whether or not the user exists, so that a lock does not reveal which users
   * exist. Returns the answer to it, in seconds rounded up.
   */
  refuse(db: Db, attempt: SignInAttempt, decision: SignInDecision): Promise<SignInRefusal>
  /**
   * Forgets the wrong attempts of the user name at this source, and remembers that it signed in from there. The counts
   * of the user name at all sources and of the source stay. Otherwise an attacker could guess at a user who signs in
   * often, or from a source where the attacker has an account, without limit.
   */
  admit(attempt: SignInAttempt): Promise<void>
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
  const hashPair = keyedHash(secretKeyHex, 'sign-in user name at source')
  const hashUserName = keyedHash(secretKeyHex, 'sign-in user name')
  const hashSource = keyedHash(secretKeyHex, 'sign-in source')
  const subjectsOf = ({ userName, source: address }: SignInAttempt): SignInSubjects => {
    const source = sourceOf(address)
    return {
      // A source contains no space.
      pair: hashPair(`${source} ${userName}`),
      user: hashUserName(userName),
      source: hashSource(source),
    }
  }
  const decide = async (on: Db, attempt: SignInAttempt) =>
    decideSignIn(await readSignInHistory(on, subjectsOf(attempt), signInRetention), limits)

  return {
    decide: (attempt) => decide(db, attempt),
    refuse: async (on, attempt, { counted, ...before }) => {
      const subjects = subjectsOf(attempt)
      const subjectOf = (kind: SignInSubjectKind) => ({
        kind,
        hash: subjects[kind],
        forgetSeconds: forgetSeconds[kind],
      })
      await countSignInFailure(on, counted.map(subjectOf))
      const { lockedMs } = counted.length > 0 ? await decide(on, attempt) : before
      if (lockedMs === 0) return { kind: 'refused' }
      return { kind: 'refused', retryAfterSeconds: Math.ceil(lockedMs / 1000) }
    },
    admit: (attempt) => recordSignIn(db, subjectsOf(attempt).pair),
  }
}
