import { randomUUID } from 'node:crypto'
import { type Consumer, findConsumerByUserName } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { isExpired } from './expiry.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import type { SignInAttempt, SignInGate } from './sign-in-gate.ts'

/**
 * Returns the consumer with this user name and current password, or undefined. Wrong, unknown, expired, disabled and
 * locked take the same path: two reads, one password check, and a write unless locked.
 */
export type SignIn = (
  attempt: SignInAttempt & { password: string },
) => Promise<Consumer | undefined>

export type PasswordCheck = {
  /** The hash of a password that nobody has, checked for an unknown user. */
  nobodysHash: string
  verify: (passwordHash: string, password: string) => Promise<boolean>
}

/** Creates the check, with the hash for unknown users. Takes about 20 ms. */
export async function createPasswordCheck(): Promise<PasswordCheck> {
  return { nobodysHash: await hashPassword(randomUUID()), verify: verifyPassword }
}

export type SignInOptions = {
  db: Db
  gate: SignInGate
  check: PasswordCheck
  now: () => Date
  /** Called for each failed attempt unless it was locked. Without a consumer id, the user name is unknown. */
  onFailure?: (consumerId: string | undefined) => Promise<void>
}

export function createSignIn({ db, gate, check, now, onFailure }: SignInOptions): SignIn {
  return async ({ userName, password, source }) => {
    const attempt = { userName, source }
    const [isShut, consumer] = await Promise.all([
      gate.isShut(attempt),
      findConsumerByUserName(db, userName),
    ])
    const isRight = await check.verify(consumer?.passwordHash ?? check.nobodysHash, password)
    if (isShut) return undefined
    if (!isRight || !maySignIn(consumer, now())) {
      await gate.countFailure(db, attempt)
      await onFailure?.(consumer?.id)
      return undefined
    }
    if (await gate.isShut(attempt)) return undefined
    await gate.clear(attempt)
    return consumer
  }
}

/** An expired password and a disabled consumer are reported as wrong credentials. */
function maySignIn(consumer: Consumer | undefined, now: Date): consumer is Consumer {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    !isExpired(consumer.passwordExpiresOn, now)
  )
}
