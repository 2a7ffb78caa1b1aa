import { expect, test } from 'vitest'
import { workQueues } from '../work/lane.ts'
import { whyNotPossible } from './operator-action.ts'
import { type QueueFacts, queueActions, queueTasks } from './queue-actions.ts'

const open: QueueFacts = { queue: 'slow', isPaused: false, waiting: 0, delayed: 0, failed: 0 }

test.for<[what: string, queue: QueueFacts, possible: string[]]>([
  ['nothing waits in', open, ['pause', 'redrive']],
  ['much waits in', { ...open, waiting: 9 }, ['pause', 'drain', 'redrive']],
  ['something is delayed in', { ...open, delayed: 1 }, ['pause', 'drain', 'redrive']],
  ['is paused', { ...open, isPaused: true }, ['resume', 'redrive']],
])('a queue that %s allows only actions that change it', ([, queue, possible]) => {
  const can = Object.entries(queueActions)
    .filter(([, action]) => whyNotPossible(action, queue) === null)
    .map(([name]) => name)

  expect(can).toEqual(possible)
})

test.for(Object.entries(queueActions))(
  'the operator reads what each queue carries, and what %s does to it',
  ([, { consequences }]) => {
    expect(Object.keys(consequences)).toEqual(['ofEvery', ...workQueues])
    expect(Object.keys(queueTasks)).toEqual([...workQueues])
  },
)
