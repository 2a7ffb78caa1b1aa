import {
  findPasswordFaults,
  type PasswordFault,
  sameAsCurrentFault,
} from '@despatch/domain/access/password-policy'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { updatePassword } from '@despatch/store/access/consumer-credentials'
import { type Consumer, findConsumer } from '@despatch/store/access/consumers'
import type { Db, Tx } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { dayAfter, passwordLifeDays } from './expiry.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

export type PasswordReplacement = {
  /** As read when the right to change its password was shown. */
  consumer: Pick<Consumer, 'id' | 'passwordHash'>
  newPassword: string
  actor: string
  /** How the right was shown. */
  by: 'password' | 'verify-code' | 'operator'
  now: Date
  /** What must be true in the transaction of the change; false undoes it. */
  onlyIf?: (tx: Tx) => Promise<boolean>
}

/**
 * Gives a consumer a new password, good for 90 days; tokens that live go on living. The password is taken as it is: who
 * calls has held it against the policy. False, and nothing is changed: somebody has changed it in the meantime.
 */
export async function replacePassword(
  db: Db,
  { consumer, newPassword, actor, by, now, onlyIf = async () => true }: PasswordReplacement,
): Promise<boolean> {
  const passwordHash = await hashPassword(newPassword)
  const expiresOn = dayAfter(now, passwordLifeDays)
  return transact(db, async (tx) => {
    if (!(await onlyIf(tx))) return false
    const { id: consumerId, passwordHash: replaces } = consumer
    if (!(await updatePassword(tx, { consumerId, passwordHash, expiresOn, replaces }))) {
      // a rule that held must not have its effect without the change
      throw new PasswordOvertaken()
    }
    const detail = { by, expiresOn }
    await insertAuditEvent(tx, { actor, action: 'password.changed', consumerId, detail })
    return true
  }).catch((error: unknown) => {
    if (error instanceof PasswordOvertaken) return false
    throw error
  })
}

class PasswordOvertaken extends Error {}

export type PasswordOrder = {
  consumerId: string
  newPassword: string
  actor: string
  now?: Date
}

export type PasswordOutcome =
  | { kind: 'changed'; passwordExpiresOn: string }
  | { kind: 'absent' }
  | { kind: 'refused'; faults: readonly PasswordFault[] }

/** Sets a password on an operator's word: the policy holds, the current password is not asked for. */
export async function setPassword(
  db: Db,
  { consumerId, newPassword, actor, now = new Date() }: PasswordOrder,
): Promise<PasswordOutcome> {
  const faults = findPasswordFaults(newPassword)
  if (faults.length > 0) return { kind: 'refused', faults }
  const consumer = await findConsumer(db, consumerId)
  if (!consumer) return { kind: 'absent' }
  if (await verifyPassword(consumer.passwordHash, newPassword)) {
    return { kind: 'refused', faults: [sameAsCurrentFault] }
  }
  const order = { consumer, newPassword, actor, by: 'operator', now } as const
  // somebody else was faster: look again, since the word of the operator is the later one
  if (!(await replacePassword(db, order))) {
    return setPassword(db, { consumerId, newPassword, actor, now })
  }
  return { kind: 'changed', passwordExpiresOn: dayAfter(now, passwordLifeDays) }
}
