import {
  findPasswordFaults,
  type PasswordFault,
  sameAsCurrentFault,
} from '@despatch/domain/access/password-policy'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { updatePassword } from '@despatch/store/access/consumer-credentials'
import { type Account, findAccount } from '@despatch/store/access/consumers'
import type { Db, Tx } from '@despatch/store/database'
import { dayAfter, passwordLifeDays } from './expiry.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

type PasswordReplacement = {
  /** The consumer as read when its right to change the password was verified. */
  consumer: Pick<Account, 'id' | 'passwordHash'>
  newPassword: string
  actor: string
  /** How that right was verified. */
  by: 'password' | 'verify-code' | 'operator'
  /** Also ends the tokens of a consumer that gave its current password. Any other change always ends them. */
  endTokens?: boolean | undefined
  now: Date
  /** The address of the caller. */
  source?: string
  /** A condition that is checked in the transaction of the change. If it returns false, the change is rolled back. */
  onlyIf?: (tx: Tx) => Promise<boolean>
}

/**
 * Gives a consumer a new password, valid for 90 days. The old one stops working at once. Tokens stay valid after a
 * change with the current password, because the client of the specification keeps its token until it expires. After a
 * change by recovery code or by an operator they are refused. The caller must have checked the password against the
 * policy. Returns false and changes nothing if the password was changed in the meantime.
 */
export async function replacePassword(
  db: Db,
  {
    consumer,
    newPassword,
    actor,
    by,
    now,
    endTokens,
    source,
    onlyIf = async () => true,
  }: PasswordReplacement,
): Promise<boolean> {
  const passwordHash = await hashPassword(newPassword, source)
  const expiresOn = dayAfter(now, passwordLifeDays)
  const endsTokens = by !== 'password' || endTokens === true
  return transact(db, async (tx) => {
    if (!(await onlyIf(tx))) return false
    const { id: consumerId, passwordHash: replaces } = consumer
    const update = { consumerId, passwordHash, expiresOn, replaces, endsTokens }
    if (!(await updatePassword(tx, update))) {
      // Throwing rolls back what `onlyIf` wrote.
      throw new PasswordOvertaken()
    }
    const detail = { by, expiresOn, endsTokens }
    await insertAuditEvent(tx, { actor, action: 'password.changed', consumerId, detail })
    return true
  }).catch((error: unknown) => {
    if (error instanceof PasswordOvertaken) return false
    throw error
  })
}

class PasswordOvertaken extends Error {}

type PasswordOrder = {
  consumerId: string
  newPassword: string
  actor: string
  now?: Date
}

type PasswordOutcome =
  | { kind: 'changed'; passwordExpiresOn: string }
  | { kind: 'absent' }
  | { kind: 'refused'; faults: readonly PasswordFault[] }

/** Sets a password on behalf of an operator. The policy applies; the current password is not required. */
export async function setPassword(
  db: Db,
  { consumerId, newPassword, actor, now = new Date() }: PasswordOrder,
): Promise<PasswordOutcome> {
  const faults = findPasswordFaults(newPassword)
  if (faults.length > 0) return { kind: 'refused', faults }
  const consumer = await findAccount(db, consumerId)
  if (!consumer) return { kind: 'absent' }
  if (await verifyPassword(consumer.passwordHash, newPassword)) {
    return { kind: 'refused', faults: [sameAsCurrentFault] }
  }
  const order = { consumer, newPassword, actor, by: 'operator', now } as const
  // Another change was faster. Retry, because the operator's change is the later one.
  if (!(await replacePassword(db, order))) {
    return setPassword(db, { consumerId, newPassword, actor, now })
  }
  return { kind: 'changed', passwordExpiresOn: dayAfter(now, passwordLifeDays) }
}
