import { renderQueue } from '@despatch/contracts/administration/queue'
import { listQueues as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import type { ManagedQueues } from '@despatch/queue/manage-queues'

/** GET /queues: what waits in each queue, and whether it is paused. */
export function listQueues(api: Api, { queues }: { queues: ManagedQueues }): void {
  api.route({
    ...operation,
    handler: async () => ({ queues: (await queues.list()).map(renderQueue) }),
  })
}
