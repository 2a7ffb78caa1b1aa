import { expect, test } from 'vitest'
import { type Capabilities, unrestrictedCapabilities } from './capabilities.ts'
import { createRouter, type RoutableSite } from './routing.ts'
import {
  couldEnter,
  isUnroutable,
  listUndrained,
  needsOfGroup,
  planReading,
  type WaitingGroup,
} from './waiting-groups.ts'

const at = new Date('2026-03-04T12:00:00Z')

function aSite(printLocation: string, can: Partial<Capabilities> = {}): RoutableSite {
  return {
    providerId: 'north',
    printLocation,
    enabled: true,
    share: 100,
    credit: 0,
    routedToday: 0,
    lastSeenAt: null,
    awaySecondsMax: null,
    capabilities: { ...unrestrictedCapabilities, ...can },
  }
}

function aGroup(contractId: string, detail: Partial<WaitingGroup> = {}): WaitingGroup {
  const stream = { despatchMethod: 'SECOND', stationery: 'A4-PLAIN', plex: 'duplex' } as const
  return { contractId, ...stream, colour: false, sheets: 1, ...detail }
}

const first = { despatchMethod: 'FIRST' } as const
const readings = (groups: readonly WaitingGroup[], sites: readonly RoutableSite[], jobsMax = 100) =>
  planReading(groups, createRouter(sites, at), jobsMax).map(({ contractId, jobsMax: max }) => [
    contractId,
    max,
  ])

test('the format of a group follows from its sheets', () => {
  const formats = [5, 6].map((sheets) => needsOfGroup(aGroup('a', { sheets })).format)

  expect(formats).toEqual(['LETTER', 'LARGE_LETTER'])
})

test('a group that no site can take is unroutable, and no letter of it is read', () => {
  const site = aSite('HALL', { despatchMethods: ['SECOND'], sheetsMax: 2 })
  const groups = [aGroup('a', first), aGroup('b', { sheets: 3 }), aGroup('c', { sheets: 2 })]

  expect(readings(groups, [site])).toEqual([['c', 100]])
  expect(groups.map((group) => isUnroutable(group, createRouter([site], at)))).toEqual([
    ...[true, true, false],
  ])
  expect(readings(groups, [])).toEqual([])
})

test.each([
  [1, 100, 100],
  [2, 100, 50],
  [5, 100, 20],
  [30, 100, 20],
  [3, 50, 17],
  [30, 3, 1],
])('of %i groups, a pass for %i print jobs reads at most %i of each', (groups, jobsMax, share) => {
  const names = Array.from({ length: groups }, (_, index) => `${index}`)

  expect(
    readings(
      names.map((name) => aGroup(name)),
      [aSite('HALL')],
      jobsMax,
    ),
  ).toEqual(names.map((name) => [name, share]))
})

test('a pass reads no more of a group than the sites have room for', () => {
  const sites = [
    aSite('HALL', { documentsPerDayMax: 3 }),
    aSite('ATTIC', { documentsPerDayMax: 4, despatchMethods: ['SECOND'] }),
  ]

  expect(readings([aGroup('a'), aGroup('b', first)], sites)).toEqual([
    ['a', 7],
    ['b', 3],
  ])
})

const undrainedCases: [name: string, counts: number[], isCut: boolean, undrained: string[]][] = [
  ['nothing was read', [0, 0, 0], false, []],
  ['fewer than the limit were read', [9, 0, 9], false, []],
  ['as many as the limit were read', [9, 10, 9], false, ['b']],
  ['reading was cut within a group: it and those after it', [9, 1, 0], true, ['b', 'c']],
  ['reading was cut after the last group', [9, 10, 9], true, ['b', 'c']],
]

test.each(undrainedCases)(
  'finds the groups with letters left: %s',
  (_name, counts, isCut, undrained) => {
    const router = createRouter([aSite('HALL')], at)
    const reading = ['a', 'b', 'c'].map((name) => ({ ...aGroup(name), jobsMax: 10 }))

    const found = listUndrained(reading, counts, { router, isCut })

    expect(found.map(({ contractId }) => contractId)).toEqual(undrained)
  },
)

test('a group without room has no letters left to gather', () => {
  const router = createRouter([aSite('HALL', { documentsPerDayMax: 2 })], at)
  const reading = planReading([aGroup('a')], router, 100)
  const take = () => router.route(needsOfGroup(aGroup('a')))?.take()

  take()
  expect(listUndrained(reading, [2], { router, isCut: false })).toEqual(reading)
  take()
  expect(listUndrained(reading, [2], { router, isCut: false })).toEqual([])
})

test('finds a letter for a run whose site can take it now', () => {
  const hall = aSite('HALL')
  const attic = aSite('ATTIC', { sheetsMax: 1 })
  const router = createRouter([hall, attic], at)
  const group = aGroup('a', { sheets: 2 })
  const run = { ...needsOfGroup(group), providerId: 'north', printLocation: 'HALL' }

  expect(couldEnter(group, run, router)).toBe(true)
  expect(couldEnter(group, { ...run, printLocation: 'ATTIC' }, router)).toBe(false)
  expect(couldEnter(aGroup('a'), { ...run, printLocation: 'ATTIC' }, router)).toBe(true)
  expect(couldEnter(group, { ...run, providerId: 'south' }, router)).toBe(false)
  expect(couldEnter(group, { ...run, ...first }, router)).toBe(false)
  expect(couldEnter(group, { ...run, format: 'LARGE_LETTER' }, router)).toBe(false)
})

test('does not search the sites for a group of another stream', () => {
  const group = aGroup('a')
  const run = { ...needsOfGroup(group), providerId: 'north', printLocation: 'HALL' }
  const unasked = {
    sitesFor() {
      throw new Error('the sites were searched')
    },
  }
  const others = [
    first,
    { stationery: 'A4-OTHER' },
    { plex: 'simplex' },
    { colour: true },
    { format: 'LARGE_LETTER' },
  ] as const

  expect(others.map((other) => couldEnter(group, { ...run, ...other }, unasked))).toEqual(
    others.map(() => false),
  )
})
