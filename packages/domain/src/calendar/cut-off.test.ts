import { expect, test } from 'vitest'
import type { ProductionCalendar } from '../print-run/capabilities.ts'
import { expectedDespatchDate, nextCutOff } from './cut-off.ts'

/** Monday to Friday without bank holidays, cut-off at half past five, posted on the next working day. */
const office: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}
const mondayWednesdayThursday: ProductionCalendar = {
  ...office,
  classes: [{ despatchMethod: 'SECOND', weekdays: [1, 3, 4], cutOff: '16:00', productionDays: 2 }],
}
const always: ProductionCalendar = {
  ...office,
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  bankHolidays: 'none',
}

type Row = [
  what: string,
  calendar: ProductionCalendar,
  at: string,
  cutOff: string,
  despatch: string,
]
const rows: Row[] = [
  ['a working day', office, '2026-03-04T10:00Z', '2026-03-04T17:30Z', '2026-03-05'],
  ['the cut-off itself is over', office, '2026-03-04T17:30Z', '2026-03-05T17:30Z', '2026-03-06'],
  ['Friday night', office, '2026-03-06T18:00Z', '2026-03-09T17:30Z', '2026-03-10'],
  ['summer', office, '2026-07-01T16:29:59.999Z', '2026-07-01T16:30Z', '2026-07-02'],
  ['before the clocks go forward', office, '2026-03-27T18:00Z', '2026-03-30T16:30Z', '2026-03-31'],
  ['before the clocks go back', office, '2026-10-23T17:00Z', '2026-10-26T17:30Z', '2026-10-27'],
  ['before Christmas', office, '2026-12-24T18:00Z', '2026-12-29T17:30Z', '2026-12-30'],
  [
    'the last cut-off before Easter',
    office,
    '2026-04-02T10:00Z',
    '2026-04-02T16:30Z',
    '2026-04-07',
  ],
  ['the day before a leap day', office, '2028-02-28T18:00Z', '2028-02-29T17:30Z', '2028-03-01'],
  ['a year without a leap day', office, '2027-02-26T18:00Z', '2027-03-01T17:30Z', '2027-03-02'],
  [
    'the class on its days',
    mondayWednesdayThursday,
    '2026-03-02T16:00Z',
    '2026-03-04T16:00Z',
    '2026-03-09',
  ],
  [
    'the gap of spring',
    { ...always, cutOff: '01:30' },
    '2026-03-29T00:00Z',
    '2026-03-29T01:30Z',
    '2026-03-30',
  ],
  [
    'after the time in the gap of spring',
    { ...always, cutOff: '01:30' },
    '2026-03-29T01:30Z',
    '2026-03-30T00:30Z',
    '2026-03-31',
  ],
  [
    'between the two that autumn has',
    { ...always, cutOff: '01:30' },
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
    '2026-10-27',
  ],
  [
    'a day that it is closed',
    { ...office, closedOn: ['2026-03-05'] },
    '2026-03-04T18:00Z',
    '2026-03-06T17:30Z',
    '2026-03-09',
  ],
  [
    'a bank holiday that it works on',
    { ...office, bankHolidays: 'none' },
    '2026-05-01T17:00Z',
    '2026-05-04T16:30Z',
    '2026-05-05',
  ],
  [
    'the same day',
    { ...office, productionDays: 0 },
    '2026-03-06T10:00Z',
    '2026-03-06T17:30Z',
    '2026-03-06',
  ],
]

test.each(rows)('%s', (_, calendar, at, cutOff, despatch) => {
  const site = { calendar, maintenance: [] }

  const next = nextCutOff(site, 'SECOND', new Date(at))

  expect(next).toEqual(new Date(cutOff))
  expect(expectedDespatchDate(site, 'SECOND', next!)).toBe(despatch)
})

test('a cut-off in maintenance is skipped, and a day wholly in maintenance is not a production day', () => {
  const maintenance = [{ from: '2026-03-04T17:00:00Z', until: '2026-03-06T00:00:00Z' }]
  const site = { calendar: office, maintenance }

  expect(nextCutOff(site, 'FIRST', new Date('2026-03-04T10:00Z'))).toEqual(
    new Date('2026-03-06T17:30Z'),
  )
  expect(expectedDespatchDate(site, 'FIRST', new Date('2026-03-03T17:30Z'))).toBe('2026-03-04')
  expect(expectedDespatchDate(site, 'FIRST', new Date('2026-03-04T16:00Z'))).toBe('2026-03-06')
})

const partsOfADay: [from: string, until: string][] = [
  ['2026-03-05T02:00:00Z', '2026-03-05T04:00:00Z'],
  ['2026-03-04T22:00:00Z', '2026-03-05T06:00:00Z'],
  ['2026-03-05T00:00:00.001Z', '2026-03-06T00:00:00Z'],
  ['2026-03-05T00:00:00Z', '2026-03-05T23:59:59.999Z'],
]

test.each(partsOfADay)(
  'maintenance from %s until %s leaves the day a production day',
  (from, until) => {
    const site = { calendar: office, maintenance: [{ from, until }] }
    expect(expectedDespatchDate(site, 'FIRST', new Date('2026-03-04T17:30Z'))).toBe('2026-03-05')
  },
)

test('maintenance of exactly one day in London removes a production day', () => {
  const maintenance = [{ from: '2026-07-01T23:00:00Z', until: '2026-07-02T23:00:00Z' }]
  const site = { calendar: office, maintenance }
  expect(expectedDespatchDate(site, 'FIRST', new Date('2026-07-01T16:30Z'))).toBe('2026-07-03')
})

const around: [what: string, at: string, cutOff: string][] = [
  ['begins exactly at the cut-off', '2026-03-04T17:30:00Z/2026-03-04T18:00:00Z', '2026-03-05'],
  ['ends exactly at the cut-off', '2026-03-04T02:00:00Z/2026-03-04T17:30:00Z', '2026-03-04'],
  ['is over long before the cut-off', '2026-03-04T02:00:00Z/2026-03-04T04:00:00Z', '2026-03-04'],
]

test.each(around)('finds the next cut-off if maintenance %s', (_, window, day) => {
  const [from, until] = window.split('/') as [string, string]
  const next = nextCutOff(
    { calendar: office, maintenance: [{ from, until }] },
    'FIRST',
    new Date('2026-03-04T01:00Z'),
  )
  expect(next).toEqual(new Date(`${day}T17:30Z`))
})

test('without a calendar, documents are despatched on the day of the cut-off in London', () => {
  const cutOffAt = new Date('2026-07-01T23:30Z')

  expect(expectedDespatchDate({ maintenance: [] }, 'SECOND', cutOffAt)).toBe('2026-07-02')
})

test('a class that is never produced has no cut-off and no day of despatch', () => {
  const calendar: ProductionCalendar = {
    ...office,
    classes: [{ despatchMethod: 'ECONOMY', weekdays: [7] }],
  }
  const at = new Date('2026-03-04T10:00Z')

  expect(nextCutOff({ calendar, maintenance: [] }, 'ECONOMY', at)).toBeUndefined()
  expect(expectedDespatchDate({ calendar, maintenance: [] }, 'ECONOMY', at)).toBeUndefined()
})

const beforeAndAfter400Days: [until: string, cutOff: string | undefined][] = [
  ['2027-04-08T16:30:00Z', '2027-04-08T16:30:00Z'],
  ['2027-04-08T16:30:01Z', undefined],
]

test.each(beforeAndAfter400Days)(
  'after maintenance of about 400 days until %s the next cut-off is at %s',
  (until, cutOff) => {
    const maintenance = [{ from: '2026-03-04T00:00:00Z', until }]
    const next = nextCutOff(
      { calendar: always, maintenance },
      'FIRST',
      new Date('2026-03-04T10:00Z'),
    )

    expect(next).toEqual(cutOff && new Date(cutOff))
  },
)

const beforeAndAfterDay400: [until: string, despatch: string | undefined][] = [
  ['2027-04-07T23:00:00Z', '2027-04-08'],
  ['2027-04-08T23:00:00Z', undefined],
]

test.each(beforeAndAfterDay400)(
  'after maintenance of about 400 days until %s letters are despatched on %s',
  (until, despatch) => {
    const site = { calendar: always, maintenance: [{ from: '2026-03-04T00:00:00Z', until }] }

    expect(expectedDespatchDate(site, 'FIRST', new Date('2026-03-04T17:30Z'))).toBe(despatch)
  },
)
