import type {
  DrainedQueueResponse,
  QueueResponse,
  QueuesResponse,
  RedrivenQueueResponse,
} from '@despatch/contracts/administration/queue'
import type { Command } from 'commander'
import { refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import type { Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderTable } from '../table.ts'

type Change = {
  name: 'pause' | 'drain' | 'redrive'
  description: string
  /** The consequences, shown before the action. */
  consequences: string
  question: string
  render: (queue: never) => string
}

const pauseConsequences =
  'No more tasks are taken from it until it is resumed, even after a restart. Tasks in progress are ' +
  'finished. Print jobs wait in QUARANTINE or VALIDATING. Callbacks are still sent, because their service also polls.'
const drainConsequences =
  'Removes its waiting wake-ups. This is harmless: wake-ups carry no data, and the sweep recreates those that are ' +
  'needed. Print jobs continue about a minute later than otherwise.'
const redriveConsequences =
  'Failed tasks are retried, and print jobs whose step is overdue are woken. Work that is already done is not ' +
  'repeated. Parked print jobs stay parked: retry one with jobs redrive.'

const changes: readonly Change[] = [
  {
    name: 'pause',
    description: 'stops workers from taking tasks of a queue until it is resumed',
    consequences: pauseConsequences,
    question: 'Pause it?',
    render: ({ queue, waiting }: QueueResponse) => `Queue ${queue} is paused; ${waiting} waiting.`,
  },
  {
    name: 'drain',
    description: 'removes the waiting wake-ups of a queue; the sweep restores them',
    consequences: drainConsequences,
    question: 'Drain it?',
    render: ({ queue, removed }: DrainedQueueResponse) =>
      `${removed === 1 ? '1 wake-up was' : `${removed} wake-ups were`} removed from queue ${queue}.`,
  },
  {
    name: 'redrive',
    description: 'retries the failed tasks of a queue, and wakes overdue print jobs',
    consequences: redriveConsequences,
    question: 'Redrive it?',
    render: ({ queue, triedAgain, woken }: RedrivenQueueResponse) =>
      `Queue ${queue}: ${triedAgain} failed tasks retried, ${woken} print jobs woken.`,
  },
]

/** Adds the commands for queues. */
export function addQueueCommands(program: Command, run: Run, context: CommandContext): void {
  const queues = program.command('queues').description('queues that wake the workers')

  queues
    .command('status')
    .description('lists the queues with their waiting, active and failed tasks')
    .action(() =>
      run(async (session) => {
        const listed = await list(session)
        return { document: listed, text: renderQueues(listed.queues) }
      }),
    )

  for (const { name, description, consequences, question, render } of changes) {
    queues
      .command(`${name} <queue>`)
      .description(description)
      .option('--yes', 'do not ask for confirmation')
      .addHelpText('after', `\n${consequences}\n${helpAboutAgreeing}`)
      .action((queue: string, { yes }: { yes?: true }) =>
        run(async (session) => {
          if (!yes) {
            const { queues: states } = await list(session)
            const state = states.filter((one) => one.queue === queue)
            const text = `${consequences}\n\n${renderQueues(state)}`
            const output = { document: { queues: state, consequences }, text }
            const agreement = { output, question, otherwise: 'nothing was changed' }
            const refusal = await refuseUnlessAgreed(agreement, context)
            if (refusal) return refusal
          }
          const changed = await session.send('POST', pathOf(queue, name))
          return { document: changed, text: render(changed as never) }
        }),
      )
  }

  queues
    .command('resume <queue>')
    .description('resumes a paused queue')
    .action((queue: string) =>
      run(async (session) => {
        const state = await session.send<QueueResponse>('POST', pathOf(queue, 'resume'))
        return { document: state, text: `Queue ${queue} is resumed; ${state.waiting} waiting.` }
      }),
    )
}

const helpAboutAgreeing = `
The command asks for confirmation. Without a terminal it requires --yes; otherwise it does nothing and exits with 2.`

function list({ send }: Session): Promise<QueuesResponse> {
  return send<QueuesResponse>('GET', '/queues')
}

function pathOf(queue: string, change: string): string {
  return `/queues/${encodeURIComponent(queue)}/${change}`
}

function renderQueues(queues: readonly QueueResponse[]): string {
  const header = ['queue', 'state', 'waiting', 'active', 'delayed', 'failed']
  const rows = queues.map((queue) => [
    queue.queue,
    queue.isPaused ? 'paused' : 'open',
    String(queue.waiting),
    String(queue.active),
    String(queue.delayed),
    String(queue.failed),
  ])
  return renderTable(header, rows)
}
