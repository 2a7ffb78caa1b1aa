import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Capabilities, unrestrictedCapabilities } from './capabilities.ts'
import {
  canPrint,
  createRouter,
  documentsLeft,
  type PrintNeeds,
  type RoutableSite,
} from './routing.ts'

const at = new Date('2026-03-04T10:00:00Z')
const aLetter: PrintNeeds = {
  stationery: 'A4-PLAIN',
  format: 'LETTER',
  plex: 'duplex',
  colour: true,
  despatchMethod: 'SECOND',
  sheets: 2,
}

function aSite(detail: Partial<RoutableSite> = {}, can: Partial<Capabilities> = {}): RoutableSite {
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

function holding(...sheetsMaxes: number[]): Partial<Capabilities> {
  const envelopes = sheetsMaxes.map((sheetsMax) => ({ name: `E${sheetsMax}`, grams: 6, sheetsMax }))
  return { materials: { envelopes } }
}

const abilities: [
  what: string,
  can: Partial<Capabilities>,
  needs: Partial<PrintNeeds>,
  is: boolean,
][] = [
  ['anything', {}, {}, true],
  ['the paper', { stationery: ['A4-PLAIN', 'A4-CREST'] }, { stationery: 'A4-CREST' }, true],
  ['another paper', {}, { stationery: 'A4-CREST' }, false],
  ['another format', { formats: ['LETTER'] }, { format: 'LARGE_LETTER' }, false],
  ['another plex', { plexes: ['simplex'] }, {}, false],
  ['colour on a black printer', { colour: false }, {}, false],
  ['black on a black printer', { colour: false }, { colour: false }, true],
  ['black on a colour printer', { colour: true }, { colour: false }, true],
  ['another despatch method', { despatchMethods: ['FIRST'] }, {}, false],
  ['as many sheets as it takes', { sheetsMax: 2 }, {}, true],
  ['a sheet more', { sheetsMax: 1 }, {}, false],
  ['as many sheets as its largest envelope holds', holding(1, 2), {}, true],
  ['a sheet more than that', holding(1, 2), { sheets: 3 }, false],
  [
    'fewer than its envelopes hold, but too many to print',
    { ...holding(9), sheetsMax: 1 },
    {},
    false,
  ],
]

test.each(abilities)('decides whether a site can print: %s', (_, can, needs, is) => {
  expect(canPrint({ ...unrestrictedCapabilities, ...can }, { ...aLetter, ...needs })).toBe(is)
})

const maintenance = (from: string, until: string) => ({ maintenance: [{ from, until }] })
const seen = (secondsAgo: number) => new Date(+at - secondsAgo * 1000)
const standings: [what: string, site: RoutableSite, left: number][] = [
  ['a site without limits', aSite(), Number.POSITIVE_INFINITY],
  ['a site that is off', aSite({ enabled: false }), 0],
  ['a site without a share', aSite({ share: 0 }), 0],
  ['maintenance now', aSite({}, maintenance('2026-03-04T10:00:00Z', '2026-03-04T11:00:00Z')), 0],
  [
    'maintenance that is over',
    aSite({}, maintenance('2026-03-04T09:00:00Z', '2026-03-04T10:00:00Z')),
    Number.POSITIVE_INFINITY,
  ],
  ['a provider that is away', aSite({ awaySecondsMax: 60, lastSeenAt: seen(61) }), 0],
  ['a provider that was never seen', aSite({ awaySecondsMax: 60 }), 0],
  [
    'a provider that was just seen',
    aSite({ awaySecondsMax: 60, lastSeenAt: seen(60) }),
    Number.POSITIVE_INFINITY,
  ],
  ['a provider that may stay away', aSite({ lastSeenAt: seen(1e6) }), Number.POSITIVE_INFINITY],
  ['a day begun', aSite({ routedToday: 7 }, { documentsPerDayMax: 10 }), 3],
  ['a full day', aSite({ routedToday: 12 }, { documentsPerDayMax: 10 }), 0],
]

test.each(standings)('%s leaves %3$i documents', (_, site, left) => {
  expect(documentsLeft(site, at)).toBe(left)
})

/**
 * Routes the documents in order, in passes of a given size that keep the sites' state. Returns how many each site
 * received.
 */
function routeAll(
  sites: readonly RoutableSite[],
  documents: readonly PrintNeeds[],
  passDocuments = documents.length,
): number[] {
  let standing = [...sites]
  const counts = sites.map(() => 0)
  for (let start = 0; start < documents.length; start += passDocuments) {
    const router = createRouter(standing, at)
    for (const needs of documents.slice(start, start + passDocuments)) {
      const route = router.route(needs)
      if (!route) continue
      route.take()
      counts[standing.indexOf(route.site)]! += 1
    }
    const changed = router.listChanged()
    standing = standing.map((site, index) => ({
      ...(changed.find(({ printLocation }) => printLocation === site.printLocation) ?? site),
      routedToday: sites[index]!.routedToday + counts[index]!,
    }))
  }
  return counts
}

function someSites(shares: readonly number[], can: Partial<Capabilities> = {}): RoutableSite[] {
  return shares.map((share, index) => aSite({ share, printLocation: `SITE ${index}` }, can))
}

test('sites of different shares are mixed, and the larger does not get its documents first', () => {
  const router = createRouter(someSites([50, 30, 20]), at)
  const order = Array.from({ length: 10 }, () => {
    const { site, take } = router.route(aLetter)!
    take()
    return site.printLocation.slice(-1)
  })

  expect(order.join('')).toBe('0120010210')
})

test('asking for a route does not use capacity', () => {
  const router = createRouter(someSites([50, 50]), at)

  const looks = [router.route(aLetter), router.route(aLetter)]

  expect(looks.map((route) => route?.site.printLocation)).toEqual(['SITE 0', 'SITE 0'])
  expect(router.listChanged()).toEqual([])
})

test('of 10,000 documents every site gets its share within 1 %, in passes of any size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 5_000 }),
      (shares, passDocuments) => {
        const total = shares.reduce((sum, share) => sum + share, 0)
        fc.pre(total > 0)
        const documents = Array.from({ length: 10_000 }, () => aLetter)
        const counts = routeAll(someSites(shares), documents, Math.max(passDocuments, 100))
        for (const [index, share] of shares.entries()) {
          expect(Math.abs(counts[index]! - (10_000 * share) / total)).toBeLessThanOrEqual(100)
        }
      },
    ),
    { numRuns: 30 },
  )
})

test('a site that can print only some of the documents gets its share of those documents', () => {
  const [plain, both] = someSites([50, 50])
  const sites = [{ ...plain!, capabilities: { ...unrestrictedCapabilities, colour: false } }, both!]
  const documents = Array.from({ length: 1_000 }, (_, index) => ({
    ...aLetter,
    colour: index % 2 === 0,
  }))

  expect(routeAll(sites, documents)).toEqual([250, 750])
})

test('the capacity of a day is never exceeded, and the rest goes to sites with capacity left', () => {
  const aCapacity = fc.record({
    share: fc.integer({ min: 1, max: 1_000 }),
    documentsPerDayMax: fc.integer({ min: 1, max: 400 }),
    before: fc.integer({ min: 0, max: 400 }),
  })
  fc.assert(
    fc.property(fc.array(aCapacity, { minLength: 1, maxLength: 6 }), (capacities) => {
      const sites = capacities.map(({ share, documentsPerDayMax, before }, index) =>
        aSite({ share, printLocation: `${index}`, routedToday: before }, { documentsPerDayMax }),
      )
      const room = capacities.map(({ documentsPerDayMax, before }) =>
        Math.max(0, documentsPerDayMax - before),
      )
      const counts = routeAll(sites, Array(1_000).fill(aLetter), 77)
      const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
      expect(counts.every((count, index) => count <= room[index]!)).toBe(true)
      expect(sum(counts)).toBe(Math.min(1_000, sum(room)))
    }),
    { numRuns: 100 },
  )
})

test('a site without a cut-off for the class, which is searched once, does not get the document', () => {
  const calendar: NonNullable<Capabilities['calendar']> = {
    weekdays: [1, 2, 3, 4, 5],
    bankHolidays: 'none',
    closedOn: [],
    cutOff: '17:30',
    productionDays: 1,
    classes: [{ despatchMethod: 'SECOND', weekdays: [7] }],
  }
  let searches = 0
  const capabilities = {
    ...unrestrictedCapabilities,
    get calendar() {
      searches += 1
      return calendar
    },
  }
  const router = createRouter([aSite({ capabilities })], at)

  expect(router.route(aLetter)).toBeUndefined()
  expect(router.route({ ...aLetter, sheets: 1 })).toBeUndefined()
  expect(searches).toBe(1)
  expect(router.route({ ...aLetter, despatchMethod: 'FIRST' })?.site.printLocation).toBe('NORTH')
})
