import type { Db } from '../database.ts'
import { transact } from '../transact.ts'

export type AuditEvent = {
  /** Who did it: `consumer:<id>`, `operator:<id>`, `command-line`, or `user` for somebody who has not shown who he is. */
  actor: string
  /** A noun and what became of it, such as `password.changed`. */
  action: string
  consumerId?: string
  /** Ids, days and choices: never a secret, a name or an address. */
  detail?: Readonly<Record<string, unknown>>
}

/** Adds to the record of changes. Call it in the transaction of the change, so that neither is there without the other. */
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
