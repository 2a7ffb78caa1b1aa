import { randomUUID } from 'node:crypto'
import { type Account, findAccountByUserName } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { isExpired } from './expiry.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { isFromItsNetworks, outsideItsNetworks } from './require-networks.ts'
import type { SignInAttempt, SignInGate, SignInRefusal } from './sign-in-gate.ts'

/**
 * Checks a user name and its current password. A wrong or expired password, an unknown user name, a disabled consumer
 * and a refused attempt take the same path. It has two reads, one password check and, unless the user name is locked at
 * this source, a write with another read. Throws a Problem 'not-permitted' if the password is right and the source is
 * outside the networks of the consumer.
 */
export type SignIn = (
  attempt: SignInAttempt & { password: string },
) => Promise<{ kind: 'signed-in'; consumer: Account } | SignInRefusal>

export type PasswordCheck = {
  /** The hash of a password that nobody has, checked for an unknown user. */
  nobodysHash: string
  /** `source`: the address of the caller, by which the checks take turns. */
  verify: (passwordHash: string, password: string, source: string) => Promise<boolean>
}

/** Creates the check, with the hash for unknown users. Takes about 20 ms. */
export async function createPasswordCheck(): Promise<PasswordCheck> {
  return { nobodysHash: await hashPassword(randomUUID()), verify: verifyPassword }
}

type SignInOptions = {
  db: Db
  gate: SignInGate
  check: PasswordCheck
  now: () => Date
  /** Called for each failed attempt unless a lock refused it. Without a consumer id, the user name is unknown. */
  onFailure?: (consumerId: string | undefined) => Promise<void>
}

export function createSignIn({ db, gate, check, now, onFailure }: SignInOptions): SignIn {
  return async ({ userName, password, source }) => {
    const attempt = { userName, source }
    const [decision, consumer] = await Promise.all([
      gate.decide(attempt),
      findAccountByUserName(db, userName),
    ])
    const passwordHash = consumer?.passwordHash ?? check.nobodysHash
    const isRight = await check.verify(passwordHash, password, source)
    if (decision.isRefused) return gate.refuse(db, attempt, decision)
    if (!isRight || !maySignIn(consumer, now())) {
      const refusal = await gate.refuse(db, attempt, decision)
      await onFailure?.(consumer?.id)
      return refusal
    }
    const later = await gate.decide(attempt)
    if (later.isRefused) return gate.refuse(db, attempt, later)
    if (!isFromItsNetworks(consumer, { ip: source })) {
      await onFailure?.(consumer.id)
      throw outsideItsNetworks()
    }
    await gate.admit(attempt)
    return { kind: 'signed-in', consumer }
  }
}

/** An expired password and a disabled consumer are reported as wrong credentials. */
function maySignIn(consumer: Account | undefined, now: Date): consumer is Account {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    !isExpired(consumer.passwordExpiresOn, now)
  )
}
