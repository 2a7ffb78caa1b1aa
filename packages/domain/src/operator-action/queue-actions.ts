import type { WorkQueue } from '../work/lane.ts'
import type { OperatorAction } from './operator-action.ts'

/** The facts that decide which actions on a queue have an effect. The API accepts the others too. */
export type QueueFacts = {
  queue: WorkQueue
  isPaused: boolean
  waiting: number
  delayed: number
  failed: number
}

/** What an operator should know before the action: of every queue, and of this one. */
type Consequences = { ofEvery: string } & Readonly<Record<WorkQueue, string>>

type QueueAction = OperatorAction<QueueFacts> & { consequences: Consequences }

const path = '/queues/:queue'

const restored =
  'The scheduler offers the same batches again, so their print jobs continue up to a minute later than otherwise, or after the queue is resumed.'
const overdueWoken = 'At most 500 print jobs whose worker died are woken.'

/** The actions of an operator on a queue. */
export const queueActions: Readonly<Record<'pause' | 'resume' | 'drain' | 'redrive', QueueAction>> =
  {
    pause: {
      operationId: 'pauseQueue',
      path: `${path}/pause`,
      reason: {
        member: 'reason',
        question: 'Why it is paused',
        isOptional: true,
        shown: 'in the console and the audit',
      },
      refusals: [{ when: { isPaused: true }, whyNot: 'The queue is already paused.' }],
      effect: 'Stops workers from taking tasks of a queue until it is resumed.',
      label: 'Pause',
      consequences: {
        ofEvery:
          'No more tasks are taken from it until it is resumed, even after a restart. Tasks in progress are finished.',
        letters:
          'Letters wait before they are checked. Submissions are still accepted, and nothing is lost.',
        slow: 'Letters that take long, or that failed before, wait. Nothing is lost.',
      },
    },
    resume: {
      operationId: 'resumeQueue',
      path: `${path}/resume`,
      reason: null,
      refusals: [{ when: { isPaused: false }, whyNot: 'The queue is not paused.' }],
      effect: 'Resumes a paused queue.',
      label: 'Resume',
      consequences: {
        ofEvery:
          'Waiting tasks are processed in the order of their arrival. Ask the operator who paused the queue first.',
        letters: 'Letters are checked again.',
        slow: 'Letters that take long, or that failed before, continue.',
      },
    },
    drain: {
      operationId: 'drainQueue',
      path: `${path}/drain`,
      reason: null,
      refusals: [{ when: { waiting: 0, delayed: 0 }, whyNot: 'The queue is empty.' }],
      effect: 'Removes the waiting tasks of a queue; the system recreates those that are needed.',
      label: 'Drain',
      consequences: {
        ofEvery: 'Removes the waiting tasks. Nothing is lost, because tasks carry no data.',
        letters: restored,
        slow: restored,
      },
    },
    redrive: {
      operationId: 'redriveQueue',
      path: `${path}/redrive`,
      reason: null,
      refusals: [],
      effect: 'Retries the failed tasks of a queue, and wakes overdue print jobs.',
      label: 'Retry',
      consequences: {
        ofEvery:
          'Failed tasks are retried. Work that is already done is not repeated. Parked print jobs stay parked: retry those ' +
          'on the page of each, or with a bulk action.',
        letters: overdueWoken,
        slow: overdueWoken,
      },
    },
  }

/** What the tasks of each queue are. */
export const queueTasks: Readonly<Record<WorkQueue, string>> = {
  letters: 'Batches of print jobs, whose files are checked and whose letters are made and checked.',
  slow: 'Print jobs that take long, or that failed or were interrupted before, one in each batch.',
}
