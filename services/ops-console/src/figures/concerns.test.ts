import { expect, test } from 'vitest'
import { listConcerns, listDueConcerns, listPausedQueues, mostUrgentFirst } from './concerns.ts'
import type { Figures } from './read-figures.ts'

const none = { count: 0, oldestSeconds: null, oldestRun: null }
const quiet: Figures['printing'] = {
  overdue: none,
  unreleased: none,
  unacknowledged: none,
  refused: none,
  reprints: none,
  unroutable: none,
  recalls: none,
}
const work: Figures['work'] = {
  lanes: [
    { lane: 'plain', letters: 10_000, consumers: 2, oldestSeconds: 600 },
    { lane: 'files', letters: 0, consumers: 0, oldestSeconds: null },
    { lane: 'slow', letters: 1, consumers: 1, oldestSeconds: 5 },
  ],
  postponed: 3,
  offered: [],
}
const late: Figures['work'] = {
  ...work,
  lanes: work.lanes.map((lane) => (lane.lane === 'slow' ? { ...lane, oldestSeconds: 601 } : lane)),
}
const some = { count: 3, oldestSeconds: 7_300, oldestRun: 'R000001' }
const one = { ...some, count: 1 }

const calm: Figures = {
  printJobs: [
    { status: 'QUARANTINE', count: 4, oldestSeconds: 80_000 },
    { status: 'VALIDATING', count: 1, oldestSeconds: 300 },
  ],
  parked: { count: 0, oldestSeconds: null },
  held: { count: 0, oldestSeconds: null },
  work,
  callbacks: { due: 10, lateSeconds: 60, deadLastDay: 0 },
  unavailableOrigins: { count: 0, oldest: null, oldestSeconds: null },
  bulkActions: { count: 0, oldest: null, oldestSeconds: null },
  outages: [],
  unproducedClasses: [],
  oldestTransaction: null,
  printRuns: [],
  printing: quiet,
}

const now = new Date('2026-11-20T14:12:00Z')

test('a busy system that keeps up is no concern', () => {
  expect(listConcerns(calm, now)).toEqual([])
})

/** Something of which there is so much, the oldest since two hours. */
const aged = (count: number, oldestSeconds = 7_300) => ({ count, oldestSeconds })
const origins = (count: number) => ({ ...aged(count), oldest: 'https://a.example' })
const plans = (count: number) => ({ ...aged(count), oldest: 'b1' })
const printing = (given: Partial<Figures['printing']>) => ({ printing: { ...quiet, ...given } })
const unroutable = printing({ unroutable: { ...some, oldestRun: null } })
const unproduced = { despatchMethod: 'INTERNATIONAL_ROW', ...aged(3) } as const
const dead = { due: 0, lateSeconds: null, deadLastDay: 1_200 }

test.for<[trouble: Partial<Figures>, told: string]>([
  [{ parked: aged(2) }, '2 letters are parked, 7300 s: Review 2 at /print-jobs?only=parked'],
  [
    { callbacks: { due: 1, lateSeconds: 61, deadLastDay: 0 } },
    'Callbacks are overdue, 61 s: Open callbacks at /callbacks?status=DUE',
  ],
  [
    { callbacks: dead },
    '1,200 callbacks have become dead in the last day: Review 1,200 at /callbacks?status=DEAD',
  ],
  [
    { unavailableOrigins: origins(3) },
    '3 callback origins do not answer, 7300 s: Open callbacks at /callbacks?status=DUE',
  ],
  [
    { unavailableOrigins: origins(1) },
    'https://a.example does not answer, 7300 s: Open origin at /callbacks?origin=https%3A%2F%2Fa.example&status=DUE',
  ],
  [
    { bulkActions: plans(2) },
    '2 bulk actions wait for a second person, 7300 s: Decide 2 at /bulk-actions',
  ],
  [
    { bulkActions: plans(1) },
    '1 bulk action waits for a second person, 7300 s: Decide 1 at /bulk-actions?bulk=b1',
  ],
  [
    { printJobs: [{ status: 'VALIDATING', ...aged(1, 301) }] },
    'A letter is checked for too long, 301 s: Open letters at /print-jobs?status=VALIDATING',
  ],
  [
    { work: late },
    '1 letter waits in the lane: failed or interrupted before, 601 s: Open queues at /queue-control',
  ],
  [
    printing({ overdue: some }),
    '3 print runs were not claimed by their despatch date, 7300 s: Reassign 3 at /print-runs?state=RELEASED',
  ],
  [
    printing({ unreleased: one }),
    '1 print run cannot be released, 7300 s: Open run at /print-runs?run=R000001',
  ],
  [
    printing({ unacknowledged: one }),
    '1 claimed print run has an expired lease, 7300 s: Open run at /print-runs?run=R000001',
  ],
  [
    printing({ refused: some }),
    '3 print runs were refused by their provider, 7300 s: Reassign 3 at /print-runs?state=REFUSED',
  ],
  [
    printing({ reprints: one }),
    '1 reprint waits for a second person, 7300 s: Decide 1 at /print-runs',
  ],
  [unroutable, '3 letters fit no site, 7300 s: Review 3 at /print-jobs?status=PENDING'],
  [
    { ...unroutable, unproducedClasses: [unproduced] },
    'No site produces INTERNATIONAL_ROW, 3 letters wait, 7300 s: Open sites at /print-runs',
  ],
  [printing({ recalls: some }), '3 recalls are not answered, 7300 s: Settle 3 at /print-runs'],
])('%j is one, with its age and a page to act on: %s', ([trouble, told]) => {
  const concerns = listConcerns({ ...calm, ...trouble }, now)

  expect(
    concerns.map(({ what, open, oldestSeconds }) => {
      const age = typeof oldestSeconds === 'number' ? `, ${oldestSeconds} s` : ''
      return `${what}${age}: ${open?.text} at ${open?.path}`
    }),
  ).toEqual([told])
})

test('the name of a problem stays the same while its count and age change', () => {
  const nameOf = (count: number, oldestSeconds: number) =>
    listConcerns({ ...calm, parked: { count, oldestSeconds } }, now)[0]?.name

  expect(nameOf(1, 5)).toBe('Parked letters')
  expect(nameOf(2_000, 7_300)).toBe('Parked letters')
})

const outage = {
  dependency: 'object-store',
  services: ['pipeline', 'print-request'],
  since: new Date('2026-11-20T14:02:30Z'),
  seenAt: now,
  reason: 'ECONNREFUSED',
} as const satisfies Omit<Figures['outages'][number], 'services'> & { services: readonly string[] }

test('an outage is one line, however many letters wait, and says why they wait in VALIDATING', () => {
  const printJobs: Figures['printJobs'] = [
    { status: 'QUARANTINE', count: 3_000, oldestSeconds: 600 },
    { status: 'VALIDATING', count: 214, oldestSeconds: 600 },
    { status: 'PENDING', count: 9_000, oldestSeconds: 600 },
  ]
  const scanner = { dependency: 'virus-scanner', since: new Date('2026-11-18T09:00:00Z') } as const
  const outages = [
    { ...outage, services: [...outage.services] },
    { ...outage, ...scanner, services: ['pipeline'] },
  ]

  const concerns = listConcerns({ ...calm, printJobs, outages }, now)

  expect(concerns.map(({ what, oldestSeconds }) => [what, oldestSeconds])).toEqual([
    ['Object store unavailable, 3,214 letters wait', 570],
    ['Virus scanner unavailable, 3,000 letters wait', 191_520],
  ])
  expect(concerns.map(({ why }) => why.split('. ')[0])).toEqual([
    'Reported by pipeline, print-request since 14:02: ECONNREFUSED',
    'Reported by pipeline since 18 Nov, 09:00: ECONNREFUSED',
  ])
})

test('a paused queue is a concern, whether or not anything waits in it', () => {
  expect(
    listPausedQueues([
      { name: 'letters', isPaused: false, waiting: 7 },
      { name: 'slow', isPaused: true, waiting: 1_200 },
      { name: 'letters', isPaused: true, waiting: 0 },
    ]).map(({ what, open }) => [what, open?.path]),
  ).toEqual([
    ['The queue slow is paused, 1,200 tasks wait', '/queue-control'],
    ['The queue letters is paused, 0 tasks wait', '/queue-control'],
  ])
})

test('letters that are overdue or at risk are concerns, with a count that may be a lower bound', () => {
  const onTime = { despatched: 9, 'in-production': 8, 'before-production': 7 }
  const letters = { ...onTime, 'at-risk': 0, overdue: 0 }
  expect(listDueConcerns({ letters, isMore: true })).toEqual([])

  const late = { ...letters, 'at-risk': 1_212, overdue: 14 }
  expect(
    listDueConcerns({ letters: late, isMore: false }).map(({ what, open }) => [what, open]),
  ).toEqual([
    ['14 letters are overdue', { path: '/print-jobs?only=overdue', text: 'Review 14' }],
    [
      '1,212 letters due today are at risk',
      { path: '/print-jobs?only=at-risk', text: 'Review 1,212' },
    ],
  ])
  expect(listDueConcerns({ letters: late, isMore: true })[0]?.what).toBe(
    '14 or more letters are overdue',
  )
})

test('concerns that make letters late come first, and the rest keeps its order', () => {
  const paused = listPausedQueues([{ name: 'slow', isPaused: true, waiting: 1 }])
  const trouble = { parked: aged(1), ...printing({ reprints: some, unroutable: some }) }
  const concerns = listConcerns({ ...calm, ...trouble }, now)

  expect(mostUrgentFirst([...paused, ...concerns]).map(({ name }) => name)).toEqual([
    'Parked letters',
    'Letters that no site can print',
    'The queue slow is paused',
    'Reprints waiting for a second person',
  ])
})

test('letters of a class that no site produces are shown beside those that fit no site for another reason', () => {
  const trouble = { ...unroutable, unproducedClasses: [{ ...unproduced, count: 2 }] }

  expect(listConcerns({ ...calm, ...trouble }, now).map(({ what }) => what)).toEqual([
    '3 letters fit no site',
    'No site produces INTERNATIONAL_ROW, 2 letters wait',
  ])
})
