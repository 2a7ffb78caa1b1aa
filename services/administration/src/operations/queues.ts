import * as operations from '@despatch/contracts/administration/queue-operations'
import type { AuditAction } from '@despatch/domain/access/audit-actions'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import type { ManagedQueues } from '@despatch/queue/manage-queues'
import type { ManagedQueue, QueueName } from '@despatch/queue/queues'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db, Tx } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { sql } from 'kysely'
import { actorOf } from '../operator/access.ts'

/** Returns the state of a queue; for a paused queue, also who paused it, when and why. */
async function getQueue(db: Db, { name, ...state }: ManagedQueue) {
  const pause = state.isPaused ? await findLastPause(db, name) : notPaused
  return { queue: name, ...state, ...pause }
}

const notPaused = { pausedAt: null, pausedBy: null, pausedByUserName: null, pausedReason: null }

type Pause = {
  pausedAt: Date
  pausedBy: string
  pausedByUserName: string | null
  pausedReason: string | null
}

/** Reads from the audit log when the queue was last paused. */
async function findLastPause(db: Db, queue: string): Promise<Pause | typeof notPaused> {
  const { rows } = await sql<Pause>`
    select event.at as "pausedAt", event.actor as "pausedBy", ${userNameOf(sql`event.actor`)} as "pausedByUserName",
      event.detail ->> 'reason' as "pausedReason"
    from audit_event event
    where event.action = 'queue.paused' and event.detail ->> 'queue' = ${queue}
    order by event.id desc
    limit 1`.execute(db)
  return rows[0] ?? notPaused
}

type QueueContext = { db: Db; queues: ManagedQueues }

type QueueChange = {
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
async function changeQueue<Figures extends Readonly<Record<string, number>>>(
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

/** GET /queues: lists the queues with their waiting tasks, and whether they are paused. */
export function listQueues(api: Api, { db, queues }: QueueContext): void {
  api.route({
    ...operations.listQueues,
    handler: async () => {
      const known = await queues.list()
      return { queues: await Promise.all(known.map((queue) => getQueue(db, queue))) }
    },
  })
}

/** POST /queues/{queue}/pause: workers take no more tasks from the queue. */
export function pauseQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operations.pauseQueue,
    handler: async ({ params: { queue }, body, caller }) => {
      const { db, queues } = context
      const before = await queues.find(queue)
      if (before.isPaused) return getQueue(db, before)
      const change = {
        actor: actorOf(caller),
        action: 'queue.paused',
        queue,
        reason: body?.reason,
      } as const
      await changeQueue(context, change, async () => {
        await queues.pause(queue)
        return {}
      })
      return getQueue(db, await queues.find(queue))
    },
  })
}

/** POST /queues/{queue}/resume: workers take tasks from a paused queue again. */
export function resumeQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operations.resumeQueue,
    handler: async ({ params: { queue }, caller }) => {
      const { db, queues } = context
      const before = await queues.find(queue)
      if (!before.isPaused) return getQueue(db, before)
      const change = { actor: actorOf(caller), action: 'queue.resumed', queue } as const
      await changeQueue(context, change, async () => {
        await queues.resume(queue)
        return {}
      })
      return getQueue(db, await queues.find(queue))
    },
  })
}

/** POST /queues/{queue}/drain: removes the waiting tasks. The scheduler gives batches to the queue again. */
export function drainQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operations.drainQueue,
    handler: async ({ params: { queue }, caller }) => {
      const { db, queues } = context
      const change = { actor: actorOf(caller), action: 'queue.drained', queue } as const
      const drained = await changeQueue(context, change, async () => ({
        removed: await queues.drain(queue),
      }))
      return { ...(await getQueue(db, await queues.find(queue))), ...drained }
    },
  })
}

/** POST /queues/{queue}/redrive: retries failed tasks, and wakes print jobs whose worker died. */
export function redriveQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operations.redriveQueue,
    handler: async ({ params: { queue }, caller }) => {
      const { db, queues } = context
      const change = { actor: actorOf(caller), action: 'queue.redriven', queue } as const
      const redriven = await changeQueue(context, change, async (tx) => {
        const woken = await giveUpBatches(tx, letterKind)
        return { triedAgain: await queues.retryFailed(queue), woken }
      })
      return { ...(await getQueue(db, await queues.find(queue))), ...redriven }
    },
  })
}
