import type { AuditAction } from '@despatch/domain/access/audit-actions'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '../database.ts'

export type AuditEvent = {
  /** Who did it: `consumer:<id>`, `operator:<id>`, `command-line`, or `user` for a caller who is not authenticated. */
  actor: string
  action: AuditAction
  consumerId?: string
  /** Ids, days and choices. Never a secret, a name or an address. */
  detail?: Readonly<Record<string, unknown>>
}

/**
 * Adds an event to the audit log. Call it in the transaction of the change, so that both are committed or neither is.
 */
export async function insertAuditEvent(
  db: Db,
  { actor, action, consumerId, detail = {} }: AuditEvent,
): Promise<void> {
  await transact(db, (tx) =>
    tx
      .insertInto('audit_event')
      .values({ actor, action, consumer_id: consumerId ?? null, detail: JSON.stringify(detail) })
      .execute(),
  )
}
