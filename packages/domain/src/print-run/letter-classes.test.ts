import { expect, test } from 'vitest'
import { type Capabilities, unrestrictedCapabilities } from './capabilities.ts'
import { createLetterClasses, type Production } from './letter-classes.ts'
import type { RoutableSite } from './routing.ts'

function aSite(printLocation: string, can: Partial<Capabilities>): RoutableSite {
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
