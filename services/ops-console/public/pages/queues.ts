import type {
  DrainedQueueResponse,
  QueueResponse,
  QueuesResponse,
  RedrivenQueueResponse,
} from '@despatch/contracts/administration/queue'
import { actionPath, whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { queueActions, queueTasks } from '@despatch/domain/operator-action/queue-actions'
import { h, type JSX } from 'preact'
import { ask } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { banner, button, head, skeleton, time } from '../parts/elements.ts'
import { reasonField } from '../parts/form.ts'
import { age, count, countOf } from '../parts/format.ts'
import { facts } from '../parts/live.ts'
import { askFirst } from '../parts/question.ts'
import { beginReading } from '../parts/reading.ts'
import { whyNotForMe } from '../parts/session.ts'
import { start } from '../parts/shell.ts'
import { table } from '../parts/table.ts'
import { batchesOf, failedTasks, waitingLetters } from '../queues/work.ts'

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

function QueuesPage(): JSX.Element[] {
  const queues = reading.facts()
  const live = facts.value
  const heading = head('Queues', {
    beside: h(
      'span',
      { class: 'meta' },
      'The backlog is in the database. A queue carries batches: only ids and counts.',
    ),
  })
  if (!queues) return [...heading, reading.absent('Queues')]
  return [
    ...heading,
    h(
      'div',
      { class: 'stack' },
      queues.filter(({ isPaused }) => isPaused).map(pausedBanner),
      h(
        'section',
        { class: 'card', 'aria-label': 'Queues' },
        tableOf(queues),
        impossible(queues),
        outbox(),
      ),
      live ? waitingLetters(live) : skeleton('Letters that wait for a worker'),
      live ? batchesOf(live) : skeleton('Batches of letters'),
      live && failedTasks(live),
    ),
  ]
}

function pausedBanner(queue: Queue): JSX.Element {
  const { queue: name, pausedAt, pausedByUserName, pausedBy, pausedReason, waiting } = queue
  const { consequences } = queueActions.pause
  return banner({
    tone: 'warn',
    line: [
      chip(['held', 'warn', `${name} paused`], true),
      pausedAt &&
        h(
          'span',
          {},
          'by ',
          h('b', {}, pausedByUserName ?? pausedBy),
          ', ',
          time(pausedAt, 'relative'),
          pausedReason && [': ', pausedReason],
        ),
      actionButton('resume', queue, 'small'),
    ],
    say: `${count(waiting)} waiting. ${consequences[name]}`,
  })
}

function tableOf(queues: readonly Queue[]): JSX.Element {
  return table({
    caption: 'Queues',
    columns: [
      'Queue',
      'State',
      { name: 'Waiting', class: 'num' },
      { name: 'Active', class: 'num p2' },
      { name: 'Delayed', class: 'num p2' },
      { name: 'Failed', class: 'num p2' },
      { name: 'Workers', class: 'num p2' },
      { name: 'Actions', class: 'act wrap', isHidden: true },
    ],
    rows: queues.map((queue) => [
      [queue.queue, h('span', { class: 'sub prose p2' }, queueTasks[queue.queue])],
      queue.isPaused ? chip(['held', 'warn', 'Paused']) : chip(['despatched', 'ok', 'Running']),
      count(queue.waiting),
      count(queue.active),
      count(queue.delayed),
      count(queue.failed),
      queue.workers === undefined ? null : count(queue.workers),
      actionsOf(queue),
    ]),
  })
}

/** Says once why an action is possible on no queue. */
function impossible(queues: readonly Queue[]): JSX.Element | null {
  const reasons = names
    .filter((name) => queues.every((queue) => whyNot(name, queue) !== null))
    .map((name) => `${queueActions[name].label}: ${whyNot(name, queues[0]!)}`)
  return reasons.length > 0 ? h('footer', {}, reasons.join(' ')) : null
}

/** What the database still has to hand to the queues. */
function outbox(): JSX.Element | null {
  const waiting = facts.value?.figures?.outbox
  if (!waiting) return null
  const { due, later, oldestSeconds } = waiting
  const oldest = due > 0 ? `, the oldest for ${age(oldestSeconds)}` : ''
  return h(
    'footer',
    {},
    `Outbox: ${countOf(due, 'wake-up')} due${oldest}; ${count(later)} scheduled.`,
  )
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

function actionButton(name: ActionName, queue: Queue, look: string): JSX.Element {
  const action = queueActions[name]
  const reason = whyNot(name, queue)
  if (reason) {
    return h(
      'span',
      { class: 'whynot', title: reason },
      button(action.label, () => {}, {
        look,
        isDisabled: true,
        name: `${action.label} ${queue.queue}: ${reason}`,
      }),
    )
  }
  return button(`${action.label}…`, () => askAbout(name, queue), {
    icon: symbols[name],
    look: name === 'drain' ? `${look} warns` : look,
    name: `${action.label} ${queue.queue}…`,
  })
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
    ...(action.reason && { fields: [reasonField(action.reason)] }),
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
