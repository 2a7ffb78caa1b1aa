import { expect, test } from 'vitest'
import { listConcerns, listDueConcerns, listPausedQueues, mostUrgentFirst } from './concerns.ts'
import type { Figures } from './read-figures.ts'

const none = { count: 0, oldestSeconds: null }
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
const some = { count: 3, oldestSeconds: 7_300 }

const calm: Figures = {
  printJobs: [
    { status: 'QUARANTINE', count: 4, oldestSeconds: 80_000 },
    { status: 'VALIDATING', count: 1, oldestSeconds: 300 },
  ],
  parked: { count: 0, oldestSeconds: null },
  held: { count: 0, oldestSeconds: null },
  work,
  outbox: { due: 20, later: 5, oldestSeconds: 15, unknown: 0 },
  callbacks: { due: 10, lateSeconds: 60, deadLastDay: 0 },
  unavailableOrigins: none,
  outages: [],
  printRuns: [],
  printing: quiet,
}

const now = new Date('2026-11-20T14:12:00Z')

test('a busy system that keeps up is no concern', () => {
  expect(listConcerns(calm, now)).toEqual([])
})

const troubles: [trouble: Partial<Figures>, what: string][] = [
  [{ parked: { count: 2, oldestSeconds: 7_300 } }, 'Parked print jobs: 2, the first 2 h ago'],
  [{ outbox: { due: 1, later: 0, oldestSeconds: 16, unknown: 0 } }, 'Wake-ups are overdue by 16 s'],
  [
    { outbox: { due: 0, later: 0, oldestSeconds: null, unknown: 3 } },
    'Wake-ups of unknown queues: 3',
  ],
  [{ callbacks: { due: 1, lateSeconds: 61, deadLastDay: 0 } }, 'Callbacks are overdue by 61 s'],
  [
    { callbacks: { due: 0, lateSeconds: null, deadLastDay: 1_200 } },
    'Dead callbacks in the last day: 1,200',
  ],
  [{ unavailableOrigins: some }, 'Unavailable callback origins: 3, a callback has waited for 2 h'],
  [{ unavailableOrigins: { count: 1, oldestSeconds: null } }, 'Unavailable callback origins: 1'],
  [
    { printJobs: [{ status: 'VALIDATING', count: 1, oldestSeconds: 301 }] },
    'A print job has been in VALIDATING for 5 min',
  ],
  [{ work: late }, 'Letters of the lane slow have waited for 10 min'],
  [
    { printing: { ...quiet, overdue: some } },
    'Print runs not claimed by their despatch date: 3, the first for 2 h',
  ],
  [
    { printing: { ...quiet, unreleased: some } },
    'Print runs that cannot be released: 3, the first for 2 h',
  ],
  [
    { printing: { ...quiet, unacknowledged: some } },
    'Claimed print runs with an expired lease: 3, the first for 2 h',
  ],
  [
    { printing: { ...quiet, refused: some } },
    'Print runs refused by their provider: 3, the first for 2 h',
  ],
  [
    { printing: { ...quiet, reprints: some } },
    'Reprints waiting for a second person: 3, the first for 2 h',
  ],
  [
    { printing: { ...quiet, unroutable: some } },
    'Print jobs that no site can print: 3, the first for 2 h',
  ],
  [{ printing: { ...quiet, recalls: some } }, 'Unanswered recalls: 3, the first for 2 h'],
]

test.for(troubles)('%j is one: %s', ([trouble, what]) => {
  expect(listConcerns({ ...calm, ...trouble }, now).map((concern) => concern.what)).toEqual([what])
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

  expect(concerns.map(({ what }) => what)).toEqual([
    'Object store unavailable since 14:02, 3,214 letters waiting',
    'Virus scanner unavailable since 18 Nov, 09:00, 3,000 letters waiting',
  ])
  expect(concerns[0]?.why).toMatch(/^Reported by pipeline, print-request: ECONNREFUSED\. /)
})

test('a paused queue is a concern, whether or not anything waits in it', () => {
  expect(
    listPausedQueues([
      { name: 'letters', isPaused: false, waiting: 7 },
      { name: 'slow', isPaused: true, waiting: 1_200 },
      { name: 'callback', isPaused: true, waiting: 0 },
    ]).map(({ what, page }) => [what, page]),
  ).toEqual([
    ['The queue slow is paused: 1,200 waiting', '/queue-control'],
    ['The queue callback is paused: 0 waiting', '/queue-control'],
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
    listDueConcerns({ letters: late, isMore: false }).map(({ what, page }) => [what, page]),
  ).toEqual([
    ['Overdue letters: 14', '/print-jobs?only=overdue'],
    ['Letters due today at risk: 1,212', '/print-jobs?only=at-risk'],
  ])
  expect(listDueConcerns({ letters: late, isMore: true })[0]?.what).toBe(
    'Overdue letters: 14 or more',
  )
})

test('what makes letters late comes first, and the rest keeps its order', () => {
  const paused = listPausedQueues([{ name: 'slow', isPaused: true, waiting: 1 }])
  const concerns = listConcerns(
    {
      ...calm,
      parked: { count: 1, oldestSeconds: 5 },
      printing: { ...quiet, reprints: some, unroutable: some },
    },
    now,
  )

  expect(mostUrgentFirst([...paused, ...concerns]).map(({ what }) => what.split(':')[0])).toEqual([
    'Parked print jobs',
    'Print jobs that no site can print',
    'The queue slow is paused',
    'Reprints waiting for a second person',
  ])
})
