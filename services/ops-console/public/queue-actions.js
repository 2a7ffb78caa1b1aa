import { count } from './format.js'

/** What each queue wakes. */
export const wakes = {
  quarantine: 'Wakes print jobs in QUARANTINE to check their files.',
  validate: 'Wakes print jobs in VALIDATING to make and check their letters.',
  callback: 'Wakes callbacks that are due.',
}

const waitMeanwhile = (status) =>
  `Print jobs wait in ${status}. Submissions are still accepted, and nothing is lost.`

const pauseMeans = {
  quarantine: waitMeanwhile('QUARANTINE'),
  validate: waitMeanwhile('VALIDATING'),
  callback:
    'Callbacks are still sent, each up to half a second later: the callbacks service also polls the database.',
}

const sweepBringsBack =
  'the sweep recreates those that are needed, so print jobs continue about a minute later than otherwise, or after the queue is resumed'

const drainMeans = {
  quarantine: sweepBringsBack,
  validate: sweepBringsBack,
  callback: 'the callbacks service also polls the database',
}

const wakesOverdue = ', and at most 500 print jobs whose step is overdue are woken'

const redriveMeans = {
  quarantine: wakesOverdue,
  validate: wakesOverdue,
  callback: '',
}

/**
 * The actions on a queue: the label, why it is not possible now (false if it is), what it will do, and the message once
 * it is done.
 */
export const actions = [
  {
    name: 'pause',
    label: 'Pause',
    whyNot: ({ isPaused }) => isPaused && 'The queue is already paused.',
    means: (queue) =>
      `No more tasks are taken from it until an operator resumes it, even after a restart. Tasks in progress are finished. ${pauseMeans[queue]}`,
    done: ({ waiting }) => `paused; ${count(waiting)} waiting.`,
  },
  {
    name: 'resume',
    label: 'Resume',
    whyNot: ({ isPaused }) => !isPaused && 'The queue is not paused.',
    means: () =>
      'Waiting tasks are processed in the order of their arrival. Ask the operator who paused the queue first.',
    done: ({ waiting }) => `resumed; ${count(waiting)} waiting.`,
  },
  {
    name: 'drain',
    label: 'Drain',
    isDanger: true,
    whyNot: ({ waiting, delayed }) => waiting + delayed === 0 && 'The queue is empty.',
    means: (queue) =>
      `Removes the waiting wake-ups. Nothing is lost, because wake-ups carry no data: ${drainMeans[queue]}.`,
    done: ({ removed }) => `wake-ups removed: ${count(removed)}.`,
  },
  {
    name: 'redrive',
    label: 'Redrive',
    whyNot: ({ queue, failed }) => queue === 'callback' && failed === 0 && 'No tasks have failed.',
    means: (queue) =>
      `Failed tasks are retried${redriveMeans[queue]}. Work that is already done is not repeated. Parked print jobs stay parked: retry those on the page of each, or with a bulk action.`,
    done: ({ triedAgain, woken }) =>
      `failed tasks retried: ${count(triedAgain)}; print jobs woken: ${count(woken)}.`,
  },
]
