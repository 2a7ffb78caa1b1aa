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

const troubles: [
  trouble: Partial<Figures>,
  what: string,
  open: [text: string, path: string] | undefined,
  oldestSeconds?: number,
][] = [
  [
    { parked: { count: 2, oldestSeconds: 7_300 } },
    '2 letters are parked',
    ['Review 2', '/print-jobs?only=parked'],
    7_300,
  ],
  [
    { callbacks: { due: 1, lateSeconds: 61, deadLastDay: 0 } },
    'Callbacks are overdue',
    ['Open callbacks', '/callbacks?status=DUE'],
    61,
  ],
  [
    { callbacks: { due: 0, lateSeconds: null, deadLastDay: 1_200 } },
    '1,200 callbacks have become dead in the last day',
    ['Review 1,200', '/callbacks?status=DEAD'],
  ],
  [
    { unavailableOrigins: { count: 3, oldest: 'https://a.example', oldestSeconds: 7_300 } },
    '3 callback origins do not answer',
    ['Open callbacks', '/callbacks?status=DUE'],
    7_300,
  ],
  [
    { unavailableOrigins: { count: 1, oldest: 'https://a.example', oldestSeconds: 5 } },
    'https://a.example does not answer',
    ['Open origin', '/callbacks?origin=https%3A%2F%2Fa.example&status=DUE'],
    5,
  ],
  [
    { bulkActions: { count: 2, oldest: 'b1', oldestSeconds: 7_300 } },
    '2 bulk actions wait for a second person',
    ['Decide 2', '/bulk-actions'],
    7_300,
  ],
  [
    { bulkActions: { count: 1, oldest: 'b1', oldestSeconds: 5 } },
    '1 bulk action waits for a second person',
    ['Decide 1', '/bulk-actions?bulk=b1'],
    5,
  ],
  [
    { printJobs: [{ status: 'VALIDATING', count: 1, oldestSeconds: 301 }] },
    'A letter is checked for too long',
    ['Open letters', '/print-jobs?status=VALIDATING'],
    301,
  ],
  [
    { work: late },
    '1 letter waits in the lane: failed or interrupted before',
    ['Open queues', '/queue-control'],
    601,
  ],
  [
    { printing: { ...quiet, overdue: some } },
    '3 print runs were not claimed by their despatch date',
    ['Reassign 3', '/print-runs?state=RELEASED'],
    7_300,
  ],
  [
    { printing: { ...quiet, unreleased: one } },
    '1 print run cannot be released',
    ['Open run', '/print-runs?run=R000001'],
    7_300,
  ],
  [
    { printing: { ...quiet, unacknowledged: one } },
    '1 claimed print run has an expired lease',
    ['Open run', '/print-runs?run=R000001'],
    7_300,
  ],
  [
    { printing: { ...quiet, refused: some } },
    '3 print runs were refused by their provider',
    ['Reassign 3', '/print-runs?state=REFUSED'],
    7_300,
  ],
  [
    { printing: { ...quiet, reprints: one } },
    '1 reprint waits for a second person',
    ['Decide 1', '/print-runs'],
    7_300,
  ],
  [
    { printing: { ...quiet, unroutable: { ...some, oldestRun: null } } },
    '3 letters fit no site',
    ['Review 3', '/print-jobs?status=PENDING'],
    7_300,
  ],
  [
    {
      printing: { ...quiet, unroutable: { ...some, oldestRun: null } },
      unproducedClasses: [{ despatchMethod: 'INTERNATIONAL_ROW', count: 3, oldestSeconds: 7_300 }],
    },
    'No site produces INTERNATIONAL_ROW, 3 letters wait',
    ['Open sites', '/print-runs'],
    7_300,
  ],
  [
    { printing: { ...quiet, recalls: some } },
    '3 recalls are not answered',
    ['Settle 3', '/print-runs'],
    7_300,
  ],
]

test.for(troubles)(
  '%j is one: %s, with its age and a page to act on',
  ([trouble, what, open, oldestSeconds]) => {
    expect(
      listConcerns({ ...calm, ...trouble }, now).map((concern) => [
        concern.what,
        concern.open && [concern.open.text, concern.open.path],
        concern.oldestSeconds ?? undefined,
      ]),
    ).toEqual([[what, open, oldestSeconds]])
  },
)

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
  const outages = [
    { ...outage, services: [...outage.services] },
    {
      ...outage,
      dependency: 'virus-scanner' as const,
      services: ['pipeline'],
      since: new Date('2026-11-18T09:00:00Z'),
    },
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
  const letters = {
    despatched: 9,
    'in-production': 8,
    'before-production': 7,
    'at-risk': 0,
    overdue: 0,
  }
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
  const concerns = listConcerns(
    {
      ...calm,
      parked: { count: 1, oldestSeconds: 5 },
      printing: { ...quiet, reprints: some, unroutable: some },
    },
    now,
  )

  expect(mostUrgentFirst([...paused, ...concerns]).map(({ name }) => name)).toEqual([
    'Parked letters',
    'Letters that no site can print',
    'The queue slow is paused',
    'Reprints waiting for a second person',
  ])
})

test('letters of a class that no site produces are shown beside those that fit no site for another reason', () => {
  const trouble = {
    printing: { ...quiet, unroutable: { ...some, oldestRun: null } },
    unproducedClasses: [
      { despatchMethod: 'INTERNATIONAL_EU' as const, count: 2, oldestSeconds: 60 },
    ],
  }

  expect(listConcerns({ ...calm, ...trouble }, now).map(({ what }) => what)).toEqual([
    '3 letters fit no site',
    'No site produces INTERNATIONAL_EU, 2 letters wait',
  ])
})
