import { redriveQueue as operation } from '@despatch/contracts/administration/queue-operations'
import type { Api } from '@despatch/http/api'
import { wakeOverdueSteps } from '@despatch/store/print-job/steps'
import { actorOf } from '../operator/actor-of.ts'
import { changeQueue, type QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

const stepsMax = 500

/** POST /queues/{queue}/redrive: retries failed tasks, and wakes at most 500 print jobs whose worker died. */
export function redriveQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operation,
    handler: async ({ params: { queue }, caller }) => {
      const { db, queues } = context
      const change = { actor: actorOf(caller), action: 'queue.redriven', queue } as const
      const redriven = await changeQueue(context, change, async (tx) => {
        const woken = queue === 'callback' ? 0 : await wakeOverdueSteps(tx, { stepsMax })
        return { triedAgain: await queues.retryFailed(queue), woken }
      })
      return { ...(await getQueue(db, await queues.find(queue))), ...redriven }
    },
  })
}
