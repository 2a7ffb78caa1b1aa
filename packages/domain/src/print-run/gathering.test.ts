import { expect, test } from 'vitest'
import {
  type Capabilities,
  type ProductionCalendar,
  unrestrictedCapabilities,
} from './capabilities.ts'
import {
  datesOf,
  type GatherableJob,
  type GatheringLimits,
  type GatheringRun,
  planGathering,
} from './gathering.ts'
import { createRouter, type RoutableSite } from './routing.ts'

/** A Wednesday, one second after the cut-off. */
const at = new Date('2026-03-04T17:30:01Z')
const secondsAgo = (seconds: number) => new Date(+at - seconds * 1000)
const limits = { at, runAgeMs: 900_000, documentsMax: 100 }
const calendar: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}

function aSite(can: Partial<Capabilities> = {}, detail: Partial<RoutableSite> = {}): RoutableSite {
  return {
    providerId: 'north',
    printLocation: 'NORTH',
    enabled: true,
    share: 100,
    capabilities: { ...unrestrictedCapabilities, ...can },
    credit: 0,
    routedToday: 0,
    lastSeenAt: null,
    awaySecondsMax: null,
    ...detail,
  }
}

const stream = {
  despatchMethod: 'SECOND',
  stationery: 'A4-PLAIN',
  plex: 'duplex',
  colour: true,
} as const

function aJob(key: string, detail: Partial<GatherableJob> = {}): GatherableJob {
  return { key, ...stream, sheets: 1, acceptedAt: secondsAgo(30), ...detail }
}

function aRun(detail: Partial<GatheringRun> = {}): GatheringRun {
  return {
    batchNumber: 'R1',
    providerId: 'north',
    printLocation: 'NORTH',
    ...stream,
    format: 'LETTER',
    openedAt: new Date('2026-03-04T09:00:00Z'),
    cutOffAt: new Date('2026-03-04T17:30:00Z'),
    expectedDespatchOn: '2026-03-05',
    documents: 5,
    ...detail,
  }
}

function plan(
  sites: readonly RoutableSite[],
  runs: readonly GatheringRun[],
  jobs: readonly GatherableJob[],
  given: GatheringLimits,
) {
  return planGathering(createRouter(sites, given.at), runs, jobs, given)
}

test('print jobs of different despatch methods, paper, plex, colour and format have separate streams', () => {
  const jobs = [
    aJob('a'),
    aJob('b', { despatchMethod: 'FIRST' }),
    aJob('c', { plex: 'simplex' }),
    aJob('d', { colour: false }),
    aJob('e', { sheets: 6 }),
    aJob('f', { sheets: 5 }),
  ]

  const { placed } = plan([aSite()], [], jobs, limits)

  expect(placed.map(({ keys }) => keys)).toEqual([['a', 'f'], ['b'], ['c'], ['d'], ['e']])
  expect(placed.map(({ run }) => run.format)).toEqual([
    'LETTER',
    'LETTER',
    'LETTER',
    'LETTER',
    'LARGE_LETTER',
  ])
})

test('without a calendar, a run that is not released yet takes print jobs', () => {
  const { placed, late } = plan([aSite()], [aRun()], [aJob('a', { acceptedAt: at })], limits)

  expect([placed, late]).toEqual([[{ run: aRun(), keys: ['a'] }], []])
})

test('without a calendar a run opens now and is released at its maximum age', () => {
  const { placed } = plan([aSite()], [], [aJob('a')], limits)

  expect(placed).toEqual([
    {
      run: {
        providerId: 'north',
        printLocation: 'NORTH',
        ...stream,
        format: 'LETTER',
        openedAt: at,
        cutOffAt: new Date('2026-03-04T17:45:01Z'),
        expectedDespatchOn: '2026-03-04',
        documents: 0,
      },
      keys: ['a'],
    },
  ])
})

test('a print job accepted before the cut-off joins the run, and a later one waits for the next', () => {
  const jobs = [
    aJob('late', { acceptedAt: secondsAgo(0.5) }),
    aJob('in time', { acceptedAt: secondsAgo(1) }),
  ]

  const { placed, late } = plan([aSite({ calendar })], [aRun()], jobs, limits)

  expect(placed).toEqual([{ run: aRun(), keys: ['in time'] }])
  expect(late).toEqual(['late'])
})

test('a print job that was accepted just before a cut-off belongs to it although no run was open', () => {
  const jobs = [
    aJob('late', { acceptedAt: secondsAgo(0.5) }),
    aJob('in time', { acceptedAt: secondsAgo(2) }),
  ]

  const { placed, late } = plan([aSite({ calendar })], [], jobs, limits)

  expect(placed.map(({ run, keys }) => [run.cutOffAt, run.expectedDespatchOn, keys])).toEqual([
    [new Date('2026-03-04T17:30:00Z'), '2026-03-05', ['in time']],
  ])
  expect(late).toEqual(['late'])
})

test('a print job that has waited for days goes to the next cut-off', () => {
  const noon = new Date('2026-03-04T12:00:00Z')
  const jobs = [aJob('a', { acceptedAt: new Date('2026-02-27T12:00:00Z') })]

  const { placed } = plan([aSite({ calendar })], [], jobs, { ...limits, at: noon })

  expect(placed.map(({ run }) => run.cutOffAt)).toEqual([new Date('2026-03-04T17:30:00Z')])
})

test('a full run takes no more print jobs, and its site is charged only for those that it got', () => {
  const jobs = [aJob('a'), aJob('b'), aJob('c')]
  const run = aRun({ documents: 98, cutOffAt: new Date('2026-03-05T17:30:00Z') })

  const router = createRouter([aSite({ calendar, documentsPerDayMax: 10 })], at)

  const { placed, crowded } = planGathering(router, [run], jobs, limits)

  expect(placed.map(({ keys }) => keys)).toEqual([['a', 'b']])
  expect(crowded).toEqual(['c'])
  expect(router.roomFor({ ...stream, sheets: 1, format: 'LETTER' })).toBe(8)
})

test('a run that takes no print job is not placed', () => {
  const full = aRun({ documents: 100, cutOffAt: new Date('2026-03-05T17:30:00Z') })
  const over = aRun()

  const { placed, late, crowded } = plan([aSite({ calendar })], [full], [aJob('crowded')], limits)
  const after = plan([aSite({ calendar })], [over], [aJob('late', { acceptedAt: at })], limits)

  expect([placed, late, crowded]).toEqual([[], [], ['crowded']])
  expect([after.placed, after.late, after.crowded]).toEqual([[], ['late'], []])
})

test('a print job that no site can print stays and does not block other print jobs', () => {
  const jobs = [aJob('crest', { stationery: 'A4-CREST' }), aJob('plain')]

  const { placed, late, crowded } = plan([aSite()], [], jobs, limits)

  expect(placed.map(({ keys }) => keys)).toEqual([['plain']])
  expect([late, crowded]).toEqual([[], []])
})

test('sites share a stream, and each has its own run', () => {
  const south = aSite({}, { providerId: 'south', printLocation: 'SOUTH', share: 300 })
  const jobs = ['a', 'b', 'c', 'd'].map((key) => aJob(key))

  const { placed } = plan([aSite(), south], [], jobs, limits)

  expect(placed.map(({ run, keys }) => [run.printLocation, keys])).toEqual([
    ['SOUTH', ['a', 'c', 'd']],
    ['NORTH', ['b']],
  ])
})

test('a cut-off that comes in sight today opens a run for letters accepted yesterday', () => {
  const midnight = new Date('2026-03-04T00:00:30Z')
  const closedOn = Array.from({ length: 401 }, (_, days) =>
    new Date(Date.UTC(2026, 2, 3 + days)).toISOString().slice(0, 10),
  )
  const site = aSite({ calendar: { ...calendar, bankHolidays: 'none', closedOn } })
  const acceptedAt = new Date('2026-03-03T23:59:45Z')

  const { placed } = plan([site], [], [aJob('a', { acceptedAt })], {
    ...limits,
    at: midnight,
  })

  expect(placed.map(({ run, keys }) => [run.openedAt, run.cutOffAt, keys])).toEqual([
    [midnight, new Date('2027-04-08T16:30:00Z'), ['a']],
  ])
})

test.each([
  ['17:30:59.999', '2026-03-04'],
  ['17:31:00.000', '2026-03-05'],
])('a print job accepted at 17:29 and gathered at %s belongs to the cut-off of %s', (time, day) => {
  const jobs = [aJob('a', { acceptedAt: new Date('2026-03-04T17:29:00Z') })]

  const { placed } = plan([aSite({ calendar })], [], jobs, {
    ...limits,
    at: new Date(`2026-03-04T${time}Z`),
  })

  expect(placed.map(({ run }) => run.cutOffAt)).toEqual([new Date(`${day}T17:30:00Z`)])
})

test('a print job accepted while a pass runs does not open a run for a later cut-off', () => {
  const before = new Date('2026-03-04T17:29:59.999Z')
  const jobs = [aJob('late', { acceptedAt: at })]

  const { placed, late } = plan([aSite({ calendar })], [], jobs, { ...limits, at: before })

  expect([placed, late]).toEqual([[], ['late']])
})

test('the earliest print job of its own stream decides on the cut-off', () => {
  const jobs = [
    aJob('first class', { despatchMethod: 'FIRST', acceptedAt: secondsAgo(0.5) }),
    aJob('later', { acceptedAt: secondsAgo(0.5) }),
    aJob('earlier', { acceptedAt: secondsAgo(2) }),
    aJob('latest', { acceptedAt: secondsAgo(0.2) }),
  ]

  const { placed, late } = plan([aSite({ calendar })], [], jobs, limits)

  expect(placed.map(({ run, keys }) => [run.cutOffAt, keys])).toEqual([
    [new Date('2026-03-05T17:30:00Z'), ['first class']],
    [new Date('2026-03-04T17:30:00Z'), ['earlier']],
  ])
  expect(late).toEqual(['later', 'latest'])
})

const closed = { ...calendar, classes: [{ despatchMethod: 'SECOND', weekdays: [7] }] } as const

test('no run is opened at a site that has no cut-off', () => {
  const site = aSite({ calendar: closed })
  const route = () => ({ site, take: () => undefined })

  expect(() => planGathering({ route }, [], [aJob('a')], limits)).toThrow(
    'NORTH has no cut-off for SECOND',
  )
})

test.each<[what: string, of: ProductionCalendar, dates: object | undefined]>([
  ['a site without a cut-off', closed, undefined],
  [
    'a site that takes more than 400 days',
    { ...calendar, productionDays: 300 },
    { cutOffAt: new Date('2026-03-05T17:30:00Z'), expectedDespatchOn: null },
  ],
])('a run of %s has the dates %o', (_, of, dates) => {
  const given = { despatchMethod: 'SECOND', openedAt: at } as const

  expect(datesOf(aSite({ calendar: of }), given, limits.runAgeMs)).toEqual(dates)
})
