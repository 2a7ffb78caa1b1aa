import { type OperatorAction, operators } from './operator-action.ts'

export const controlledQueues = ['quarantine', 'validate', 'callback'] as const
export type ControlledQueue = (typeof controlledQueues)[number]

/** The facts that decide which actions on a queue have an effect. The API accepts the others too. */
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
  'The sweep recreates those that are needed, so print jobs continue about a minute later than otherwise, or after the queue is resumed.'
const overdueWoken = 'At most 500 print jobs whose step is overdue are woken.'

/** The actions of an operator on a queue. */
export const queueActions: Readonly<Record<'pause' | 'resume' | 'drain' | 'redrive', QueueAction>> =
  {
    pause: {
      operationId: 'pauseQueue',
      path: `${path}/pause`,
      roles: operators,
      reason: null,
      refusals: [{ when: { isPaused: true }, whyNot: 'The queue is already paused.' }],
      effect: 'Stops workers from taking tasks of a queue until it is resumed.',
      label: 'Pause',
      consequences: {
        ofEvery:
          'No more tasks are taken from it until it is resumed, even after a restart. Tasks in progress are finished.',
        quarantine:
          'Print jobs wait in QUARANTINE. Submissions are still accepted, and nothing is lost.',
        validate:
          'Print jobs wait in VALIDATING. Submissions are still accepted, and nothing is lost.',
        callback:
          'Callbacks are still sent, each up to half a second later: the callbacks service also polls the database.',
      },
    },
    resume: {
      operationId: 'resumeQueue',
      path: `${path}/resume`,
      roles: operators,
      reason: null,
      refusals: [{ when: { isPaused: false }, whyNot: 'The queue is not paused.' }],
      effect: 'Resumes a paused queue.',
      label: 'Resume',
      consequences: {
        ofEvery:
          'Waiting tasks are processed in the order of their arrival. Ask the operator who paused the queue first.',
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
      refusals: [{ when: { waiting: 0, delayed: 0 }, whyNot: 'The queue is empty.' }],
      effect: 'Removes the waiting wake-ups of a queue; the sweep restores them.',
      label: 'Drain',
      consequences: {
        ofEvery: 'Removes the waiting wake-ups. Nothing is lost, because wake-ups carry no data.',
        quarantine: restored,
        validate: restored,
        callback: 'The callbacks service also polls the database.',
      },
    },
    redrive: {
      operationId: 'redriveQueue',
      path: `${path}/redrive`,
      roles: operators,
      reason: null,
      refusals: [{ when: { queue: 'callback', failed: 0 }, whyNot: 'No tasks have failed.' }],
      effect: 'Retries the failed tasks of a queue, and wakes overdue print jobs.',
      label: 'Redrive',
      consequences: {
        ofEvery:
          'Failed tasks are retried. Work that is already done is not repeated. Parked print jobs stay parked: retry those ' +
          'on the page of each, or with a bulk action.',
        quarantine: overdueWoken,
        validate: overdueWoken,
        callback: 'Callbacks that are due need no wake-up.',
      },
    },
  }

/** What each queue wakes. */
export const queueWakes: Readonly<Record<ControlledQueue, string>> = {
  quarantine: 'Wakes print jobs in QUARANTINE to check their files.',
  validate: 'Wakes print jobs in VALIDATING to make and check their letters.',
  callback: 'Wakes callbacks that are due.',
}
