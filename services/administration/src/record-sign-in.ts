import { type AuditEvent, insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'

/** Records that somebody signed in to the console. */
export function recordSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.signed-in', `consumer:${consumerId}`, { consumerId })
}

/** Records that somebody who has shown who he is has no business at the console. */
export function recordRefusedSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.sign-in-refused', `consumer:${consumerId}`, { consumerId })
}

/** Records that somebody could not show who he is. Which user name was tried is told only of a consumer who is there. */
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
