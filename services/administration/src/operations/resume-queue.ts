import { resumeQueue as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import { actorOf } from '../operator/actor-of.ts'
import { changeQueue, type QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

/** POST /queues/{queue}/resume: workers take tasks from a paused queue again. */
export function resumeQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operation,
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
