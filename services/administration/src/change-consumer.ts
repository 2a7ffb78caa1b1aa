import { consumerNotFound } from '@despatch/contracts/administration/problems'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  findListedConsumer,
  type ListedConsumer,
  lockConsumer,
} from '@despatch/store/access/consumer-list'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'

export type ConsumerChange = {
  consumerId: string
  actor: string
  /** The name of the action in the audit log. */
  action: string
  /** Makes the change. Returns the details for the audit log, or undefined if nothing had to change. */
  make(tx: Db, consumer: ListedConsumer): Promise<Record<string, unknown> | undefined>
}

/**
 * Changes a consumer and records the change, in one transaction. Returns the consumer as it is afterwards. Throws a
 * Problem if there is none.
 */
export function changeConsumer(
  db: Db,
  { consumerId, actor, action, make }: ConsumerChange,
): Promise<ListedConsumer> {
  return transact(db, async (tx) => {
    const consumer = await lockConsumer(tx, consumerId)
    if (!consumer) throw consumerNotFound(consumerId)
    const detail = await make(tx, consumer)
    if (!detail) return consumer
    await insertAuditEvent(tx, { actor, action, consumerId, detail })
    return getListedConsumer(tx, consumerId)
  })
}

/** Returns a consumer. Throws a Problem if there is none. */
export async function getListedConsumer(db: Db, consumerId: string): Promise<ListedConsumer> {
  const consumer = await findListedConsumer(db, consumerId)
  if (!consumer) throw consumerNotFound(consumerId)
  return consumer
}
