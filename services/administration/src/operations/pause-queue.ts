import { pauseQueue as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import { actorOf } from '../operator/actor-of.ts'
import { changeQueue, type QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

/** POST /queues/{queue}/pause: workers take no more tasks from the queue. */
export function pauseQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operation,
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
