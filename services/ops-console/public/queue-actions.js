import { count } from './format.js'

/** What each queue wakes. */
export const wakes = {
  quarantine: 'Wakes print jobs in QUARANTINE, whose files are looked at.',
  validate: 'Wakes print jobs in VALIDATING, whose letters are made and checked.',
  callback: 'Wakes callbacks that are due.',
}

const waitMeanwhile = (status) =>
  `Print jobs wait in ${status} meanwhile: submissions are accepted, and nothing is lost.`

const pauseMeans = {
  quarantine: waitMeanwhile('QUARANTINE'),
  validate: waitMeanwhile('VALIDATING'),
  callback: 'Callbacks go on, half a second later each: they are found without their queue too.',
}

const sweepBringsBack =
  'the sweep brings back those that are needed, so print jobs go on a minute or so later than they would have; while the queue is paused, once it has been resumed'

const drainMeans = {
  quarantine: sweepBringsBack,
  validate: sweepBringsBack,
  callback: 'callbacks are found without them',
}

const wakesOverdue = ', and print jobs whose step is overdue are woken, 500 at most'

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
    whyNot: ({ isPaused }) => isPaused && 'It is paused already.',
    means: (queue) =>
      `Nothing more is taken from it until somebody resumes it, also after processes have started anew; what is in hand is finished. ${pauseMeans[queue]}`,
    done: ({ waiting }) => `it is paused; ${count(waiting)} wait.`,
  },
  {
    name: 'resume',
    label: 'Resume',
    whyNot: ({ isPaused }) => !isPaused && 'It is not paused.',
    means: () =>
      'What waits is done in the order in which it came. Ask whoever paused it before you do.',
    done: ({ waiting }) => `it goes on; ${count(waiting)} wait.`,
  },
  {
    name: 'drain',
    label: 'Drain',
    isDanger: true,
    whyNot: ({ waiting, delayed }) => waiting + delayed === 0 && 'Nothing waits in it.',
    means: (queue) =>
      `The wake-ups that wait in it are removed. Nothing is lost, since they carry no data: ${drainMeans[queue]}.`,
    done: ({ removed }) => `wake-ups removed: ${count(removed)}.`,
  },
  {
    name: 'redrive',
    label: 'Redrive',
    whyNot: ({ queue, failed }) => queue === 'callback' && failed === 0 && 'Nothing has failed.',
    means: (queue) =>
      `Its failed tasks are tried again${redriveMeans[queue]}. What is done already is not done again. Print jobs that are parked stay so: Try again on the page of each, or a bulk action, is for those.`,
    done: ({ triedAgain, woken }) =>
      `failed tasks tried again: ${count(triedAgain)}; print jobs woken: ${count(woken)}.`,
  },
]
