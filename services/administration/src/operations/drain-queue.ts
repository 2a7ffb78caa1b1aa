import { drainQueue as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import { actorOf } from '../operator/actor-of.ts'
import { changeQueue, type QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

/** POST /queues/{queue}/drain: removes the waiting tasks. The scheduler gives batches to the queue again. */
export function drainQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operation,
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
