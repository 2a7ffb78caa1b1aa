import { expect, test } from 'vitest'
import { findStuckSeconds, type StuckFacts, type UnfinishedRun } from './stuck.ts'

const none = { QUARANTINE: 0, VALIDATING: 0, PENDING: 0, PRODUCTION: 0 }
const calm: StuckFacts = {
  quarantineSince: null,
  validatingSince: null,
  routingSince: null,
  runs: [],
}
/** A Monday. */
const now = new Date('2026-11-23T12:00:00Z')
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000)

const weekdays: UnfinishedRun = {
  stage: 'released',
  despatchMethod: 'FIRST',
  site: {
    maintenance: [],
    calendar: {
      weekdays: [1, 2, 3, 4, 5],
      bankHolidays: 'england-and-wales',
      closedOn: [],
      cutOff: '17:30',
      productionDays: 1,
      classes: [],
    },
  },
  cutOffAt: new Date('2026-11-19T17:30:00Z'),
  expectedDespatchOn: '2026-11-20',
}

test('nothing is stuck when no work is under way', () => {
  expect(findStuckSeconds(calm, now)).toEqual(none)
})

const rows: [what: string, facts: Partial<StuckFacts>, stuck: Partial<typeof none>][] = [
  ['uploads are waited for', { quarantineSince: secondsAgo(3_900) }, {}],
  [
    'an hour and ten minutes in QUARANTINE',
    { quarantineSince: secondsAgo(4_200) },
    { QUARANTINE: 300 },
  ],
  ['five minutes in VALIDATING', { validatingSince: secondsAgo(300) }, {}],
  ['ten minutes in VALIDATING', { validatingSince: secondsAgo(600) }, { VALIDATING: 300 }],
  ['ten minutes in no print run', { routingSince: secondsAgo(600) }, { PENDING: 300 }],
  [
    'a print run before its cut-off',
    { runs: [{ ...weekdays, stage: 'open', cutOffAt: secondsAgo(-60) }] },
    {},
  ],
  [
    'a print run that is open after its cut-off',
    { runs: [{ ...weekdays, stage: 'open', cutOffAt: secondsAgo(900) }] },
    { PENDING: 300 },
  ],
  [
    'a print run of Friday that nobody claimed: since Monday began, not since Saturday',
    { runs: [weekdays] },
    { PENDING: 12 * 3_600 },
  ],
  [
    'the same at a site that always works: since Saturday began',
    { runs: [{ ...weekdays, site: { maintenance: [] } }] },
    { PENDING: 60 * 3_600 },
  ],
  [
    'a claimed print run of today',
    { runs: [{ ...weekdays, stage: 'claimed', expectedDespatchOn: '2026-11-23' }] },
    {},
  ],
  ['a claimed print run of Friday, by noon', { runs: [{ ...weekdays, stage: 'claimed' }] }, {}],
  [
    'a claimed print run of Thursday',
    { runs: [{ ...weekdays, stage: 'claimed', expectedDespatchOn: '2026-11-19' }] },
    { PRODUCTION: 24 * 3_600 },
  ],
  ['a print run without dates', { runs: [{ ...weekdays, expectedDespatchOn: null }] }, {}],
  [
    'the longest of several',
    { runs: [weekdays, { ...weekdays, expectedDespatchOn: '2026-11-19' }] },
    { PENDING: 36 * 3_600 },
  ],
]

test.each(rows)('%s', (_what, facts, stuck) => {
  expect(findStuckSeconds({ ...calm, ...facts }, now)).toEqual({ ...none, ...stuck })
})
