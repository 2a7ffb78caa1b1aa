import { listQueues as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import type { QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

/** GET /queues: lists the queues with their waiting tasks, and whether they are paused. */
export function listQueues(api: Api, { db, queues }: QueueContext): void {
  api.route({
    ...operation,
    handler: async () => {
      const known = await queues.list()
      return { queues: await Promise.all(known.map((queue) => getQueue(db, queue))) }
    },
  })
}
