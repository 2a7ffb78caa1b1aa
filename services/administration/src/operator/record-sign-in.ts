import { type AuditEvent, insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'

/** Records a sign-in to the console. */
export function recordSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.signed-in', `consumer:${consumerId}`, { consumerId })
}

/** Records a sign-in with valid credentials of a consumer that may not use the console. */
export function recordRefusedSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.sign-in-refused', `consumer:${consumerId}`, { consumerId })
}

/** Records a failed sign-in. The user name is recorded only if it belongs to a consumer. */
export function recordFailedSignIn(db: Db, consumerId: string | undefined): Promise<void> {
  return record(
    db,
    'console.sign-in-failed',
    'user',
    consumerId === undefined ? {} : { consumerId },
  )
}

function record(
  db: Db,
  action: string,
  actor: string,
  about: Pick<AuditEvent, 'consumerId'>,
): Promise<void> {
  return insertAuditEvent(db, { actor, action, ...about })
}
