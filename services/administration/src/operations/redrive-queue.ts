import type { StateOfQueue } from '@despatch/contracts/administration/queue'
import { redriveQueue as operation } from '@despatch/contracts/administration/queue-operations'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Api } from '@despatch/http/api'
import { wakeOverdueSteps } from '@despatch/store/print-job/steps'
import { actorOf } from '../operator/actor-of.ts'
import { changeQueue, type QueueContext } from '../queue/change-queue.ts'
import { getQueue } from '../queue/get-queue.ts'

const stepsMax = 500

/** The status of the print jobs that a queue wakes. Callbacks are read from their table and require no wake-up. */
const statusOfQueue: Readonly<Record<StateOfQueue['name'], PrintJobStatus | undefined>> = {
  quarantine: 'QUARANTINE',
  validate: 'VALIDATING',
  callback: undefined,
}

/** POST /queues/{queue}/redrive: retries failed tasks, and wakes at most 500 overdue print jobs of its stage. */
export function redriveQueue(api: Api, context: QueueContext): void {
  api.route({
    ...operation,
    handler: async ({ params: { queue }, caller }) => {
      const { db, queues } = context
      const change = { actor: actorOf(caller), action: 'queue.redriven', queue }
      const redriven = await changeQueue(context, change, async (tx) => {
        const status = statusOfQueue[queue]
        const woken = status ? await wakeOverdueSteps(tx, { [status]: queue }, { stepsMax }) : 0
        return { triedAgain: await queues.retryFailed(queue), woken }
      })
      return { ...(await getQueue(db, await queues.find(queue))), ...redriven }
    },
  })
}
