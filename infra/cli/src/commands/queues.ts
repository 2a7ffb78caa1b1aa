import type { QueueResponse } from '@despatch/contracts/administration/queue'
import { queueActions } from '@despatch/domain/operator-action/queue-actions'
import { countOf } from '../count-of.ts'
import { addingTo, type Call, type Described } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { renderRows } from '../table.ts'

/** Adds the commands for queues. */
export function addCommands(parts: Parts): void {
  const queues = parts.program.command('queues').description('queues that wake the workers')
  const add = addingTo(queues, parts)

  add({
    usage: 'list',
    operation: 'listQueues',
    route: 'GET /queues',
    does: 'lists the queues with their tasks and workers, and who paused them',
    text: ({ queues }) => renderQueues(queues),
  }).alias('status')
  add({
    usage: 'pause <queue>',
    operation: 'pauseQueue',
    ...afterConsequences('pause', 'Pause it?'),
    text: ({ queue, waiting }) => `Queue ${queue} is paused; ${waiting} waiting.`,
  })
  add({
    usage: 'drain <queue>',
    operation: 'drainQueue',
    ...afterConsequences('drain', 'Drain it?'),
    text: ({ queue, removed }) =>
      `${countOf(removed, 'task was', 'tasks were')} removed from queue ${queue}.`,
  })
  add({
    usage: 'redrive <queue>',
    operation: 'redriveQueue',
    ...afterConsequences('redrive', 'Redrive it?'),
    text: ({ queue, triedAgain, woken }) =>
      `Queue ${queue}: ${countOf(triedAgain, 'failed task')} retried, ${countOf(woken, 'print job')} woken.`,
  })
  add({
    usage: 'resume <queue>',
    operation: 'resumeQueue',
    text: ({ queue, waiting }) => `Queue ${queue} is resumed; ${waiting} waiting.`,
  })
}

/** Shows what an action on the queue leads to, and the state of the queue, before it asks. */
function afterConsequences(name: keyof typeof queueActions, question: string) {
  const { ofEvery, ...others } = queueActions[name].consequences
  const describe = async (
    { queue: given }: { queue: string },
    { session }: Call,
  ): Promise<Described> => {
    const queues = (await list(session)).filter(({ queue }) => queue === given)
    const consequences = [ofEvery, ...queues.map(({ queue }) => others[queue])].join(' ')
    return {
      document: { queues, consequences },
      text: `${consequences}\n\n${renderQueues(queues)}`,
    }
  }
  return { help: `\n${ofEvery}`, agree: { question, otherwise: 'nothing was changed', describe } }
}

async function list({ send }: Session): Promise<QueueResponse[]> {
  return (await send<{ queues: QueueResponse[] }>('GET', '/queues')).queues
}

function renderQueues(queues: readonly QueueResponse[]): string {
  return renderRows(queues, {
    queue: 'queue',
    state: ({ isPaused }) => (isPaused ? 'paused' : 'open'),
    waiting: 'waiting',
    active: 'active',
    delayed: 'delayed',
    failed: 'failed',
    workers: 'workers',
    paused: 'pausedAt',
    by: ({ pausedByUserName, pausedBy }) => pausedByUserName ?? pausedBy,
    reason: 'pausedReason',
  })
}
