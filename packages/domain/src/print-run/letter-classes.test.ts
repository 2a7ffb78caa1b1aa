import { expect, test } from 'vitest'
import { type Capabilities, unrestrictedCapabilities } from './capabilities.ts'
import { createLetterClasses, type Production } from './letter-classes.ts'
import type { RoutableSite } from './routing.ts'

function aSite(
  printLocation: string,
  can: Partial<Capabilities>,
  detail: Partial<RoutableSite> = {},
): RoutableSite {
  return {
    providerId: 'north',
    printLocation,
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

const sites = [
  aSite('FOLDER', { formats: ['LETTER'] }),
  aSite('SMALL', { sheetsMax: 3 }),
  aSite('LARGE', { sheetsMax: 8, despatchMethods: ['SECOND', 'FIRST'] }),
]
const production: Production = { stationery: 'A4-PLAIN', plex: 'duplex', colour: false }
const { dueDatesFor, listClasses } = createLetterClasses(sites, new Date('2026-03-04T10:00:00Z'))
const classes = listClasses([production])

test.each(['SECOND', 'FIRST', 'ECONOMY'] as const)(
  'a letter by %s with any number of sheets has exactly one class, with its due dates',
  (despatchMethod) => {
    for (let sheets = 1; sheets <= 10; sheets += 1) {
      const found = classes.filter(
        (one) =>
          one.despatchMethod === despatchMethod &&
          one.sheetsFrom <= sheets &&
          sheets <= one.sheetsTo,
      )

      const dueDates = dueDatesFor({ ...production, despatchMethod, sheets })
      expect(found.map((one) => one.dueDates)).toEqual(dueDates ? [dueDates] : [])
      expect(dueDates === undefined).toBe(sheets > (despatchMethod === 'ECONOMY' ? 5 : 8))
    }
  },
)

test('numbers of sheets share a class if the same sites print them', () => {
  const ofSecond = classes.filter(({ despatchMethod }) => despatchMethod === 'SECOND')

  expect(ofSecond.map(({ sheetsFrom, sheetsTo }) => [sheetsFrom, sheetsTo])).toEqual([
    [0, 3],
    [4, 5],
    [6, 8],
  ])
})

test('numbers of sheets that only some sites can envelope have a separate class', () => {
  const envelopes = [{ name: 'C5', grams: 6, sheetsMax: 7 }]
  const enveloping = [aSite('C5', { materials: { envelopes } }), aSite('ALL', {})]
  const { listClasses } = createLetterClasses(enveloping, new Date('2026-03-04T10:00:00Z'))

  const ranges = listClasses([production])
    .filter(({ despatchMethod }) => despatchMethod === 'SECOND')
    .map(({ sheetsFrom, sheetsTo }) => [sheetsFrom, sheetsTo])

  expect(ranges).toEqual([
    [0, 7],
    [8, 10_000],
  ])
})

test('a letter without a composed document counts as one of one sheet', () => {
  const needs = { ...production, despatchMethod: 'SECOND' as const }

  expect(dueDatesFor({ ...needs, sheets: null })).toBe(dueDatesFor({ ...needs, sheets: 1 }))
})

test('the due dates of a site are found once for all numbers of sheets', () => {
  let searches = 0
  const folder = aSite('FOLDER', { formats: ['LETTER'] })
  const capabilities = {
    ...folder.capabilities,
    get calendar() {
      searches += 1
      return slow.calendar!
    },
  }
  const counted = createLetterClasses([{ ...folder, capabilities }, ...sites], at)
  for (const sheets of [1, 4]) {
    counted.dueDatesFor({ ...production, despatchMethod: 'SECOND', sheets })
  }

  expect(searches).toBe(1)
})

/** The letter is ready at ten. A site is slow, or without a calendar the same day. */
const at = new Date('2026-03-04T10:00:00Z')
const slow: Partial<Capabilities> = {
  calendar: {
    weekdays: [1, 2, 3, 4, 5],
    bankHolidays: 'none',
    closedOn: [],
    cutOff: '17:30',
    productionDays: 1,
    classes: [{ despatchMethod: 'ECONOMY', weekdays: [7] }],
  },
}
const away = { awaySecondsMax: 60 }

test.each<[what: string, sites: RoutableSite[], dueOn: string | undefined]>([
  ['of the slowest', [aSite('FAST', {}), aSite('SLOW', slow)], '2026-03-05'],
  [
    'not of one that is off',
    [aSite('FAST', {}), aSite('SLOW', slow, { enabled: false })],
    '2026-03-04',
  ],
  ['not of one that is away', [aSite('FAST', {}), aSite('SLOW', slow, away)], '2026-03-04'],
  [
    'not of one without a share',
    [aSite('FAST', {}), aSite('SLOW', slow, { share: 0 })],
    '2026-03-04',
  ],
  ['of those away if all are', [aSite('FAST', {}, away), aSite('SLOW', slow, away)], '2026-03-05'],
  ['of none if all are off', [aSite('FAST', {}, { enabled: false })], undefined],
])('the due date of a letter is that of its sites: %s', (_, sites, dueOn) => {
  const needs = { ...production, despatchMethod: 'SECOND' as const, sheets: 1 }

  expect(createLetterClasses(sites, at).dueDatesFor(needs)?.periodOf(at)?.dueOn).toBe(dueOn)
})

test('a site that never produces a despatch method does not count for its due dates', () => {
  const classesAt = createLetterClasses([aSite('FAST', {}), aSite('SLOW', slow)], at)
  const dueOn = (despatchMethod: 'SECOND' | 'ECONOMY') =>
    classesAt.dueDatesFor({ ...production, despatchMethod, sheets: 1 })?.periodOf(at)?.dueOn

  expect([dueOn('SECOND'), dueOn('ECONOMY')]).toEqual(['2026-03-05', '2026-03-04'])
})
