import { randomInt, timingSafeEqual } from 'node:crypto'
import { isSameEmailAddress } from '@despatch/domain/access/user-name'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { type Account, findAccountByUserName } from '@despatch/store/access/consumers'
import {
  saveRecoveryCode,
  takeRecoveryTry,
  useRecoveryCode,
} from '@despatch/store/access/recovery-codes'
import type { Db } from '@despatch/store/database'
import { replacePassword } from './change-password.ts'
import { keyedHash } from './keyed-hash.ts'
import { requireItsNetworks } from './require-networks.ts'
import type { PasswordCheck } from './sign-in.ts'
import type { SignInAttempt, SignInGate, SignInRefusal } from './sign-in-gate.ts'

const codeDigits = 6
const recoveryCodeLifeSeconds = 60 * 60
const triesMax = 5
/** Enough for a person who mistypes, and too few to flood the mailbox of somebody else. */
const codesPerHourMax = 5
/** Replaces the id of an unknown consumer, so that the database runs the same queries. */
const nobodysId = '00000000-0000-4000-8000-000000000000'

export type PasswordRecovery = {
  /** Returns the consumer that may get a code: it has this user name and e-mail address and is not disabled. */
  findEntitled(request: { userName: string; email: string }): Promise<Account | undefined>
  /**
   * Creates the consumer's code and invalidates the one before. Returns undefined if it had its maximum of codes in the
   * last hour.
   */
  issueCode(consumerId: string): Promise<string | undefined>
  /**
   * Sets a new password for a valid code. The caller must have checked the password against the policy. Throws a Problem
   * 'not-permitted' if the code is right and the source is outside the networks of the consumer.
   */
  recover(request: RecoveryRequest): Promise<RecoveryOutcome>
}

export type RecoveryRequest = SignInAttempt & { verifyCode: string; newPassword: string }

/** `refused`: an unknown user, a wrong, expired, used or exhausted code, a disabled consumer, or a lock. */
type RecoveryOutcome =
  | { kind: 'changed'; consumerId: string }
  | SignInRefusal
  | { kind: 'same-as-current' }

type PasswordRecoveryOptions = {
  db: Db
  gate: SignInGate
  check: PasswordCheck
  secretKeyHex: string
  now: () => Date
}

/**
 * Password recovery by a code of six digits, sent to the e-mail address on record. A code works once, for one hour and
 * for five tries; only the newest is valid. It is stored as a keyed hash.
 */
export function createPasswordRecovery(options: PasswordRecoveryOptions): PasswordRecovery {
  const { db, gate, check, secretKeyHex, now } = options
  const keyed = keyedHash(secretKeyHex, 'recovery code')
  const hashCode = (consumerId: string, code: string) => keyed(`${consumerId} ${code}`)

  return {
    async findEntitled({ userName, email }) {
      const consumer = await findAccountByUserName(db, userName)
      if (!consumer || consumer.disabledAt !== null || consumer.email === null) return undefined
      return isSameEmailAddress(consumer.email, email) ? consumer : undefined
    },

    async issueCode(consumerId) {
      const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
      const codeHash = hashCode(consumerId, code)
      const rules = { lifeSeconds: recoveryCodeLifeSeconds, triesMax, codesPerHourMax }
      return transact(db, async (tx) => {
        const outcome = await saveRecoveryCode(tx, { consumerId, codeHash }, rules)
        if (outcome === 'too-many') return undefined
        await insertAuditEvent(tx, { actor: 'user', action: 'recovery-code.issued', consumerId })
        return code
      })
    },

    async recover({ userName, source, verifyCode, newPassword }) {
      const attempt = { userName, source }
      const [decision, consumer] = await Promise.all([
        gate.decide(attempt),
        findAccountByUserName(db, userName),
      ])
      const passwordHash = consumer?.passwordHash ?? check.nobodysHash
      const isCurrent = await check.verify(passwordHash, newPassword, source)
      if (decision.isRefused) return gate.refuse(db, attempt, decision)

      const consumerId = consumer?.id ?? nobodysId
      const codeHash = hashCode(consumerId, verifyCode)
      const refusal = await transact(db, async (tx) => {
        const known = await takeRecoveryTry(tx, consumerId)
        if (known && timingSafeEqual(known, codeHash) && consumer?.disabledAt === null) return
        return gate.refuse(tx, attempt, decision)
      })
      if (refusal || !consumer) return refusal ?? { kind: 'refused' }
      const later = await gate.decide(attempt)
      if (later.isRefused) return gate.refuse(db, attempt, later)
      requireItsNetworks(consumer, { ip: source })
      if (isCurrent) return { kind: 'same-as-current' }

      const isChanged = await replacePassword(db, {
        consumer,
        newPassword,
        actor: `consumer:${consumerId}`,
        by: 'verify-code',
        source,
        now: now(),
        onlyIf: (tx) => useRecoveryCode(tx, { consumerId, codeHash }),
      })
      if (!isChanged) return { kind: 'refused' }
      await gate.admit(attempt)
      return { kind: 'changed', consumerId }
    },
  }
}
