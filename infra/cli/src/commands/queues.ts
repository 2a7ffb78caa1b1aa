import type {
  DrainedQueueResponse,
  QueueResponse,
  QueuesResponse,
  RedrivenQueueResponse,
} from '@despatch/contracts/administration/queue'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { type QueueAction, queueActions } from '@despatch/domain/operator-action/queue-actions'
import type { Command } from 'commander'
import { addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import type { CommandOutput, Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'

type Change = {
  name: keyof typeof queueActions
  /** Asked before the action; without one, the action needs no confirmation. */
  question?: string
  render: (queue: never) => string
}

const changes: readonly Change[] = [
  {
    name: 'pause',
    question: 'Pause it?',
    render: ({ queue, waiting }: QueueResponse) => `Queue ${queue} is paused; ${waiting} waiting.`,
  },
  {
    name: 'drain',
    question: 'Drain it?',
    render: ({ queue, removed }: DrainedQueueResponse) =>
      `${countOf(removed, 'task was', 'tasks were')} removed from queue ${queue}.`,
  },
  {
    name: 'redrive',
    question: 'Redrive it?',
    render: ({ queue, triedAgain, woken }: RedrivenQueueResponse) =>
      `Queue ${queue}: ${countOf(triedAgain, 'failed task')} retried, ${countOf(woken, 'print job')} woken.`,
  },
  {
    name: 'resume',
    render: ({ queue, waiting }: QueueResponse) => `Queue ${queue} is resumed; ${waiting} waiting.`,
  },
]

/** Adds the commands for queues. */
export function addQueueCommands(program: Command, run: Run, context: CommandContext): void {
  const queues = program.command('queues').description('queues that wake the workers')

  queues
    .command('list')
    .alias('status')
    .description('lists the queues with their tasks and workers, and who paused them')
    .action(() =>
      run(async (session) => {
        const listed = await list(session)
        return { document: listed, text: renderQueues(listed.queues) }
      }),
    )

  for (const { name, question, render } of changes) {
    const action = queueActions[name]
    const command = addActionCommand(queues, `${name} <queue>`, action)
    if (question) {
      addYesOption(command.addHelpText('after', `\n${action.consequences.ofEvery}`))
    }
    command.action((queue: string, { yes, reason }: { yes?: true; reason?: string }) =>
      run(async (session) => {
        if (question) {
          const describe = () => describeConsequences(session, queue, action)
          const agreement = { yes, describe, question, otherwise: 'nothing was changed' }
          const refusal = await refuseUnlessAgreed(agreement, context)
          if (refusal) return refusal
        }
        const body = reason === undefined ? undefined : { reason }
        const changed = await session.send('POST', actionPath(action, queue), body)
        return { document: changed, text: render(changed as never) }
      }),
    )
  }
}

/** Shows what an action on the queue leads to, and the state of the queue. */
async function describeConsequences(
  session: Session,
  name: string,
  { consequences: { ofEvery, ...others } }: QueueAction,
): Promise<CommandOutput> {
  const { queues } = await list(session)
  const state = queues.filter(({ queue }) => queue === name)
  const consequences = [ofEvery, ...state.map(({ queue }) => others[queue])].join(' ')
  const text = `${consequences}\n\n${renderQueues(state)}`
  return { document: { queues: state, consequences }, text }
}

function list({ send }: Session): Promise<QueuesResponse> {
  return send<QueuesResponse>('GET', '/queues')
}

function renderQueues(queues: readonly QueueResponse[]): string {
  const header = [
    ...['queue', 'state', 'waiting', 'active', 'delayed', 'failed', 'workers'],
    ...['paused', 'by', 'reason'],
  ]
  const rows = queues.map((queue) => [
    queue.queue,
    queue.isPaused ? 'paused' : 'open',
    String(queue.waiting),
    String(queue.active),
    String(queue.delayed),
    String(queue.failed),
    String(queue.workers ?? '-'),
    queue.pausedAt ?? '-',
    queue.pausedByUserName ?? queue.pausedBy ?? '-',
    queue.pausedReason ?? '-',
  ])
  return renderTable(header, rows)
}
