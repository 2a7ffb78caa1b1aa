import type { AuditAction } from '@despatch/domain/access/audit-actions'
import type { ManagedQueues } from '@despatch/queue/manage-queues'
import type { QueueName } from '@despatch/queue/queues'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'

export type QueueContext = { db: Db; queues: ManagedQueues }

export type QueueChange = {
  actor: string
  action: AuditAction
  queue: QueueName
  /** Undefined: none was given, or the change requires none. */
  reason?: string | undefined
}

/**
 * Changes a queue, and records the change with the figures that `change` returns. Changes to queues are not part of the
 * transaction. The transaction starts first, so that no queue is changed while the database cannot record it.
 */
export async function changeQueue<Figures extends Readonly<Record<string, number>>>(
  { db }: QueueContext,
  { actor, action, queue, reason }: QueueChange,
  change: (tx: Tx) => Promise<Figures>,
): Promise<Figures> {
  return transact(db, async (tx) => {
    const figures = await change(tx)
    await insertAuditEvent(tx, {
      actor,
      action,
      detail: { queue, ...(reason !== undefined && { reason }), ...figures },
    })
    return figures
  })
}
