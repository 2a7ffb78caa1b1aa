import { type OperatorAction, operators } from './operator-action.ts'

export const controlledQueues = ['quarantine', 'validate', 'callback'] as const
export type ControlledQueue = (typeof controlledQueues)[number]

/** The facts that decide which actions on a queue make a difference. The API accepts the others too. */
export type QueueFacts = {
  queue: ControlledQueue
  isPaused: boolean
  waiting: number
  delayed: number
  failed: number
}

/** What an operator should know before the action: of every queue, and of this one. */
type Consequences = { ofEvery: string } & Readonly<Record<ControlledQueue, string>>

export type QueueAction = OperatorAction<QueueFacts> & { consequences: Consequences }

const path = '/queues/:queue'

const restored =
  'The sweep restores those that are required: print jobs go on about a minute later, or once a paused queue is resumed.'
const overdueWoken = 'Print jobs whose step is overdue are woken, 500 at most.'

/** The actions of an operator on a queue. */
export const queueActions: Readonly<Record<'pause' | 'resume' | 'drain' | 'redrive', QueueAction>> =
  {
    pause: {
      operationId: 'pauseQueue',
      path: `${path}/pause`,
      roles: operators,
      reason: null,
      refusals: [{ when: { isPaused: true }, whyNot: 'It is paused already.' }],
      effect: 'Stops workers from taking tasks of a queue until it is resumed.',
      label: 'Pause',
      consequences: {
        ofEvery:
          'Nothing more is taken from it until it is resumed, also after processes restart. Active tasks finish.',
        quarantine:
          'Print jobs wait in QUARANTINE meanwhile: submissions are accepted, and nothing is lost.',
        validate:
          'Print jobs wait in VALIDATING meanwhile: submissions are accepted, and nothing is lost.',
        callback: 'Callbacks go on, half a second later each: they are found without their queue.',
      },
    },
    resume: {
      operationId: 'resumeQueue',
      path: `${path}/resume`,
      roles: operators,
      reason: null,
      refusals: [{ when: { isPaused: false }, whyNot: 'It is not paused.' }],
      effect: 'Resumes a paused queue.',
      label: 'Resume',
      consequences: {
        ofEvery: 'What waits is done in the order in which it came. Ask who paused it first.',
        quarantine: 'Print jobs leave QUARANTINE again.',
        validate: 'Print jobs leave VALIDATING again.',
        callback: 'Callbacks are sent without delay again.',
      },
    },
    drain: {
      operationId: 'drainQueue',
      path: `${path}/drain`,
      roles: operators,
      reason: null,
      refusals: [{ when: { waiting: 0, delayed: 0 }, whyNot: 'Nothing waits in it.' }],
      effect: 'Removes the waiting wake-ups of a queue; the sweep restores them.',
      label: 'Drain',
      consequences: {
        ofEvery:
          'The wake-ups that wait in it are removed. Nothing is lost, because they contain no data.',
        quarantine: restored,
        validate: restored,
        callback: 'Callbacks are found without them.',
      },
    },
    redrive: {
      operationId: 'redriveQueue',
      path: `${path}/redrive`,
      roles: operators,
      reason: null,
      refusals: [{ when: { queue: 'callback', failed: 0 }, whyNot: 'Nothing has failed.' }],
      effect: 'Retries the failed tasks of a queue, and wakes overdue print jobs.',
      label: 'Redrive',
      consequences: {
        ofEvery:
          'Its failed tasks are tried again. What is done already is not done again. Parked print jobs stay parked: ' +
          'redrive each of them, or many in a bulk action.',
        quarantine: overdueWoken,
        validate: overdueWoken,
        callback: 'Callbacks that are due need no wake-up.',
      },
    },
  }

/** What each queue wakes. */
export const queueWakes: Readonly<Record<ControlledQueue, string>> = {
  quarantine: 'Wakes print jobs in QUARANTINE, whose files are looked at.',
  validate: 'Wakes print jobs in VALIDATING, whose letters are made and checked.',
  callback: 'Wakes callbacks that are due.',
}
