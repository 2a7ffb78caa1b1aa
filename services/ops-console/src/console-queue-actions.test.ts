import { queueNames } from '@despatch/queue/queues'
import { expect, test } from 'vitest'

// a module of the browser, which has no types
const { actions, wakes } = await import(new URL('../public/queue-actions.js', import.meta.url).href)

type Action = { name: string; means: (queue: string) => string; whyNot: (queue: object) => unknown }

test.for(queueNames)(
  'what %s wakes and what each action means for it has complete texts',
  (queue) => {
    const texts = [wakes[queue], ...actions.map(({ means }: Action) => means(queue))]

    expect(texts.filter((text) => !/^[A-Z].+\.$/.test(text) || text.includes('undefined'))).toEqual(
      [],
    )
  },
)

const open = { queue: 'validate', isPaused: false, waiting: 0, delayed: 0, failed: 0 }

test.for<[what: string, queue: object, possible: string[]]>([
  ['nothing waits in', open, ['pause', 'redrive']],
  ['much waits in', { ...open, waiting: 9 }, ['pause', 'drain', 'redrive']],
  ['something is delayed in', { ...open, delayed: 1 }, ['pause', 'drain', 'redrive']],
  ['is paused', { ...open, isPaused: true }, ['resume', 'redrive']],
  ['wakes callbacks, none of which failed', { ...open, queue: 'callback' }, ['pause']],
  [
    'wakes callbacks, some of which failed',
    { ...open, queue: 'callback', failed: 2 },
    ['pause', 'redrive'],
  ],
])(
  'a queue that %s offers the possible actions, and the reason for each other action',
  ([, queue, possible]) => {
    const can = actions.filter(({ whyNot }: Action) => !whyNot(queue))
    const cannot = actions.filter(({ whyNot }: Action) => whyNot(queue))

    expect(can.map(({ name }: Action) => name)).toEqual(possible)
    expect(cannot.map(({ whyNot }: Action) => whyNot(queue))).not.toContain(true)
  },
)
