import { expect, test } from 'vitest'
import { type Capabilities, unrestrictedCapabilities } from './capabilities.ts'
import { isStranding, planRerouting, type UnclaimedRun } from './rerouting.ts'
import type { RoutableSite } from './routing.ts'

const at = new Date('2026-03-04T18:00:00Z')
const before = (hours: number) => new Date(+at - hours * 3_600_000)
const maintenance = {
  maintenance: [{ from: before(1).toISOString(), until: '2026-03-05T18:00:00Z' }],
}

function aSite(
  providerId: string,
  detail: Partial<RoutableSite> = {},
  can: Partial<Capabilities> = {},
): RoutableSite {
  return {
    providerId,
    printLocation: providerId.toUpperCase(),
    enabled: true,
    share: 100,
    capabilities: { ...unrestrictedCapabilities, ...can },
    credit: 0,
    routedToday: 0,
    lastSeenAt: before(2),
    awaySecondsMax: null,
    ...detail,
  }
}

function aRun(batchNumber: string, detail: Partial<UnclaimedRun> = {}): UnclaimedRun {
  return {
    batchNumber,
    providerId: 'north',
    printLocation: 'NORTH',
    despatchMethod: 'SECOND',
    stationery: 'A4-PLAIN',
    plex: 'duplex',
    colour: false,
    format: 'LETTER',
    openedAt: before(8),
    dueAt: before(0.5),
    documents: 10,
    sheetsMax: 5,
    ...detail,
  }
}

const south = aSite('south')
type Row = [what: string, north: RoutableSite, run: Partial<UnclaimedRun>, goes: boolean]
const rows: Row[] = [
  ['a site that is there keeps its run', aSite('north'), {}, false],
  ['a site that is off loses it', aSite('north', { enabled: false }), {}, true],
  ['also before it is due', aSite('north', { enabled: false }), { dueAt: null }, true],
  ['a provider that is away loses it', aSite('north', { awaySecondsMax: 60 }), {}, true],
  ['one that may stay away keeps it', aSite('north', { awaySecondsMax: 86_400 }), {}, false],
  ['a site in maintenance loses what is due', aSite('north', {}, maintenance), {}, true],
  ['also what is due at this moment', aSite('north', {}, maintenance), { dueAt: at }, true],
  [
    'a site in maintenance keeps what is not due',
    aSite('north', {}, maintenance),
    { dueAt: new Date('2026-03-06T17:30:00Z') },
    false,
  ],
  ['also what is due at an unknown time', aSite('north', {}, maintenance), { dueAt: null }, false],
  [
    'a site keeps what was opened in spite of the maintenance',
    aSite('north', {}, maintenance),
    { openedAt: before(0.5) },
    false,
  ],
  [
    'also what was opened as it began',
    aSite('north', {}, maintenance),
    { openedAt: before(1) },
    false,
  ],
]

test.each(rows)('%s', (_, north, run, goes) => {
  const runs = planRerouting([north, south], [aRun('R1', run)], at)

  expect(runs.map(({ batchNumber }) => batchNumber)).toEqual(goes ? ['R1'] : [])
})

test('a run belongs to the site of its provider, not to a site of another provider with the same name', () => {
  const others = [
    aSite('north', { printLocation: 'NORTH-2', enabled: false }),
    aSite('west', { printLocation: 'NORTH', enabled: false }),
  ]

  expect(planRerouting([...others, aSite('north'), south], [aRun('R1')], at)).toEqual([])
})

const sundaysOnly: NonNullable<Capabilities['calendar']> = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'none',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [{ despatchMethod: 'SECOND', weekdays: [7] }],
}
const off = aSite('north', { enabled: false })
const takers: [what: string, others: RoutableSite[], goes: string[]][] = [
  ['nobody else is there', [], []],
  ['the other cannot print it', [aSite('south', {}, { sheetsMax: 4 })], []],
  ['the other has no cut-off for it', [aSite('south', {}, { calendar: sundaysOnly })], []],
  ['the other is away too', [aSite('south', { awaySecondsMax: 60 })], []],
  ['the other has no share', [aSite('south', { share: 0 })], []],
  ['the other has room for one run', [aSite('south', {}, { documentsPerDayMax: 19 })], ['R1']],
  ['the other has room for both', [aSite('south', {}, { documentsPerDayMax: 20 })], ['R1', 'R2']],
  [
    'two others have room together',
    [aSite('south', {}, { documentsPerDayMax: 15 }), aSite('west', {}, { documentsPerDayMax: 5 })],
    ['R1', 'R2'],
  ],
]

test.each(takers)(
  'a run moves only to a site that can take the whole run: %s',
  (_, others, goes) => {
    const runs = planRerouting([off, ...others], [aRun('R1'), aRun('R2')], at)

    expect(runs.map(({ batchNumber }) => batchNumber)).toEqual(goes)
  },
)

test('only a site that is disabled, away or in maintenance has runs to reroute', () => {
  expect(isStranding(south, at)).toBe(false)
  expect(isStranding(off, at)).toBe(true)
  expect(isStranding(aSite('north', { awaySecondsMax: 60 }), at)).toBe(true)
  expect(isStranding(aSite('north', {}, maintenance), at)).toBe(true)
})
