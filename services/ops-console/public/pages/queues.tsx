import type {
  DrainedQueueResponse,
  QueueResponse,
  QueuesResponse,
  RedrivenQueueResponse,
} from '@despatch/contracts/administration/queue'
import { actionPath, whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { queueActions, queueTasks } from '@despatch/domain/operator-action/queue-actions'
import type { JSX } from 'preact'
import { ask } from '../parts/api.ts'
import { Chip } from '../parts/chips.tsx'
import { Banner, Button, Head, Skeleton, Time } from '../parts/elements.tsx'
import { ReasonField } from '../parts/form.tsx'
import { count, countOf } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { askFirst } from '../parts/question.tsx'
import { beginReading } from '../parts/reading.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { start } from '../parts/shell.tsx'
import { Table } from '../parts/table.tsx'
import { CallbackTurns } from '../queues/turns.tsx'
import { Batches, FailedTasks, WaitingLetters } from '../queues/work.tsx'

type Queue = QueueResponse
type ActionName = keyof typeof queueActions

const names = Object.keys(queueActions) as readonly ActionName[]
const symbols: Readonly<Record<ActionName, string>> = {
  pause: 'pause',
  resume: 'send',
  drain: 'deleted',
  redrive: 'redo',
}

const reading = beginReading<readonly Queue[]>({
  read: async () => (await ask<QueuesResponse>('GET', '/queues')).queues,
  standing: standingOf,
})

function standingOf(queues: readonly Queue[]): string {
  const paused = queues.filter(({ isPaused }) => isPaused).map(({ queue }) => queue)
  return paused.length === 0 ? 'No queue is paused.' : `Paused: ${paused.join(', ')}.`
}

function QueuesPage() {
  const queues = reading.facts()
  const live = facts.value
  const heading = (
    <Head
      title="Queues"
      beside={
        <span class="meta">
          The backlog is in the database. A queue carries batches: only ids and counts.
        </span>
      }
    />
  )
  if (!queues) {
    return (
      <>
        {heading}
        {reading.absent('Queues')}
      </>
    )
  }
  return (
    <>
      {heading}
      <div class="stack">
        {queues.filter(({ isPaused }) => isPaused).map(pausedBanner)}
        <section class="card" aria-label="Queues">
          {tableOf(queues)}
          {impossible(queues)}
        </section>
        {live ? <WaitingLetters {...live} /> : <Skeleton title="Letters that wait for a worker" />}
        {live ? <Batches {...live} /> : <Skeleton title="Batches of letters" />}
        {live ? <CallbackTurns {...live} /> : <Skeleton title="Turns of callbacks" />}
        {live && <FailedTasks {...live} />}
      </div>
    </>
  )
}

function pausedBanner(queue: Queue) {
  const { queue: name, pausedAt, pausedByUserName, pausedBy, pausedReason, waiting } = queue
  const { consequences } = queueActions.pause
  return (
    <Banner
      tone="warn"
      line={
        <>
          <Chip look={['held', 'warn', `${name} paused`]} isBig />
          {pausedAt && (
            <span>
              by <b>{pausedByUserName ?? pausedBy}</b>, <Time at={pausedAt} style="relative" />
              {pausedReason && <>: {pausedReason}</>}
            </span>
          )}
          {actionButton('resume', queue, 'small')}
        </>
      }
      say={`${count(waiting)} waiting. ${consequences[name]}`}
    />
  )
}

function tableOf(queues: readonly Queue[]) {
  return (
    <Table
      caption="Queues"
      columns={[
        'Queue',
        'State',
        { name: 'Waiting', class: 'num' },
        { name: 'Active', class: 'num p2' },
        { name: 'Delayed', class: 'num p2' },
        { name: 'Failed', class: 'num p2' },
        { name: 'Workers', class: 'num p2' },
        { name: 'Actions', class: 'act wrap', isHidden: true },
      ]}
      rows={queues.map((queue) => [
        [queue.queue, <span class="sub prose p2">{queueTasks[queue.queue]}</span>],
        <Chip
          look={queue.isPaused ? ['held', 'warn', 'Paused'] : ['despatched', 'ok', 'Running']}
        />,
        count(queue.waiting),
        count(queue.active),
        count(queue.delayed),
        count(queue.failed),
        queue.workers === undefined ? null : count(queue.workers),
        actionsOf(queue),
      ])}
    />
  )
}

/** Says once why an action is possible on no queue. */
function impossible(queues: readonly Queue[]) {
  const reasons = names
    .filter((name) => queues.every((queue) => whyNot(name, queue) !== null))
    .map((name) => `${queueActions[name].label}: ${whyNot(name, queues[0]!)}`)
  return reasons.length > 0 ? <footer>{reasons.join(' ')}</footer> : null
}

/** Returns the buttons of a queue. A button that is not possible now says why when pointed at and read aloud. */
function actionsOf(queue: Queue): JSX.Element[] {
  return names
    .filter((name) => name !== (queue.isPaused ? 'pause' : 'resume'))
    .map((name) => actionButton(name, queue, 'small'))
}

function whyNot(name: ActionName, queue: Queue): string | null {
  const action = queueActions[name]
  const reason = whyNotPossible(action, queue)
  return whyNotForMe(action.operationId) ?? (reason && `Not now. ${reason}`)
}

function actionButton(name: ActionName, queue: Queue, look: string) {
  const action = queueActions[name]
  const reason = whyNot(name, queue)
  if (reason) {
    return (
      <span class="whynot" title={reason}>
        <Button
          onClick={() => {}}
          look={look}
          isDisabled
          name={`${action.label} ${queue.queue}: ${reason}`}
        >
          {action.label}
        </Button>
      </span>
    )
  }
  return (
    <Button
      onClick={() => askAbout(name, queue)}
      icon={symbols[name]}
      look={name === 'drain' ? `${look} warns` : look}
      name={`${action.label} ${queue.queue}…`}
    >
      {action.label}…
    </Button>
  )
}

/** The operator reads what the action does before it can be confirmed. */
function askAbout(name: ActionName, { queue, waiting, delayed }: Queue): void {
  const action = queueActions[name]
  const { ofEvery, [queue]: ofThis } = action.consequences
  const isDrain = name === 'drain'
  askFirst({
    title: `${action.label} ${queue}${isDrain ? ` and remove ${countOf(waiting + delayed, 'task')}` : ''}?`,
    button: `${action.label} ${queue}`,
    isDanger: isDrain,
    points: [ofEvery, ofThis, 'It is audited.'],
    ...(action.reason && { fields: [<ReasonField reason={action.reason} />] }),
    onSend: async (given) => {
      const changed = await ask<Queue & DrainedQueueResponse & RedrivenQueueResponse>(
        'POST',
        actionPath(action, queue),
        action.reason ? given : undefined,
      )
      return { done: `Queue ${queue}: ${doneBy[name](changed)}`, again: reading.again }
    },
  })
}

const doneBy: Readonly<
  Record<ActionName, (changed: Queue & DrainedQueueResponse & RedrivenQueueResponse) => string>
> = {
  pause: ({ waiting }) => `paused; ${count(waiting)} waiting.`,
  resume: ({ waiting }) => `resumed; ${count(waiting)} waiting.`,
  drain: ({ removed }) => `tasks removed: ${count(removed)}.`,
  redrive: ({ triedAgain, woken }) =>
    `failed tasks retried: ${count(triedAgain)}; print jobs woken: ${count(woken)}.`,
}

start(QueuesPage)
