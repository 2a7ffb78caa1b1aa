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
  /** What the record of changes calls it. */
  action: string
  /** Makes the change and gives what is worth recording of it, or undefined when nothing had to be changed. */
  make(tx: Db, consumer: ListedConsumer): Promise<Record<string, unknown> | undefined>
}

/** Changes a consumer and records it, both or neither. Gives the consumer as it then is; throws when there is none. */
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

/** Throws a Problem when there is no such consumer. */
export async function getListedConsumer(db: Db, consumerId: string): Promise<ListedConsumer> {
  const consumer = await findListedConsumer(db, consumerId)
  if (!consumer) throw consumerNotFound(consumerId)
  return consumer
}
