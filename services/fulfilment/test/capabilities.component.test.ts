import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const list = (provider = 'north') => fulfilment.call('GET', '/capabilities', { provider })
const put = (body: unknown) => fulfilment.call('PUT', '/capabilities/NORTH', { body })

const capabilities = {
  stationery: ['A4-PLAIN', 'A4-HEADED'],
  formats: ['LETTER'],
  plexes: ['simplex', 'duplex'],
  colour: false,
  despatchMethods: ['FIRST', 'SECOND'],
  sheetsMax: 50,
  materials: {
    papers: [{ stationery: 'A4-HEADED', gramsPerSquareMetre: 100 }],
    envelopes: [
      { name: 'C5', grams: 6.25, sheetsMax: 5 },
      { name: 'C4', grams: 14, sheetsMax: 50 },
    ],
  },
  documentsPerDayMax: 20_000,
  calendar: {
    weekdays: [1, 2, 3, 4, 5],
    bankHolidays: 'england-and-wales',
    closedOn: ['2026-12-24'],
    cutOff: '17:30',
    productionDays: 1,
    classes: [{ despatchMethod: 'FIRST', weekdays: [1, 2, 3, 4, 5, 6], cutOff: '15:00' }],
  },
  maintenance: [
    { from: '2026-12-01T18:00:00Z', until: '2026-12-02T06:00:00+01:00', reason: 'Service' },
  ],
}

const audited = () =>
  fulfilment.rows(
    `select actor, action, detail from audit_event where action = 'print-site.capabilities' order by at`,
  )

test('GET lists the sites of the provider, which can do everything until the provider reports otherwise', async () => {
  const { status, body } = await list('south')

  expect({ status, body }).toEqual({
    status: 200,
    body: {
      sites: [
        {
          printLocation: 'SOUTH',
          enabled: true,
          share: 0,
          capabilities: {
            stationery: ['A4-PLAIN'],
            formats: ['LETTER', 'LARGE_LETTER'],
            plexes: ['simplex', 'duplex'],
            colour: true,
            despatchMethods: expect.arrayContaining(['SECOND', 'FIRST', 'SPECIAL']),
            sheetsMax: 10_000,
            maintenance: [],
          },
        },
      ],
    },
  })
})

describe('PUT', () => {
  test('replaces the capabilities of the site, and audits a change once', async () => {
    const before = await audited()

    const first = await put(capabilities)
    const again = await put(capabilities)

    const site = { printLocation: 'NORTH', enabled: true, share: 100, capabilities }
    expect([first.status, first.body, again.body]).toEqual([200, site, site])
    expect((await list()).body).toEqual({ sites: [site] })
    expect((await audited()).slice(before.length)).toEqual([
      {
        actor: 'provider:north',
        action: 'print-site.capabilities',
        detail: { printLocation: 'NORTH' },
      },
    ])
  })

  test('removes omitted values, and counts each name once', async () => {
    await put(capabilities)
    const { calendar: _, documentsPerDayMax: __, ...others } = capabilities

    const { body } = await put({
      ...others,
      formats: ['LETTER', 'LETTER'],
      despatchMethods: ['FIRST', 'SECOND', 'FIRST'],
    })

    expect(body.capabilities).toEqual(others)
  })

  const { materials, calendar } = capabilities
  const { papers, envelopes } = materials
  const [from, until] = ['2026-12-02T00:00:00Z', '2026-12-01T00:00:00Z']
  test.each([
    [{ calendar: { ...calendar, cutOff: '25:00' } }, 'calendar.cutOff'],
    [{ maintenance: [{ from, until }] }, 'maintenance[0].until'],
    [
      { materials: { papers: [{ ...papers[0], stationery: 'A4-CARD' }] } },
      'materials.papers[0].stationery',
    ],
    [{ materials: { papers: [...papers, ...papers] } }, 'materials.papers[1].stationery'],
    [
      { materials: { papers: [{ ...papers[0], gramsPerSquareMetre: 19 }] } },
      'materials.papers[0].gramsPerSquareMetre',
    ],
    [{ materials: { envelopes: [] } }, 'materials.envelopes'],
    [
      { materials: { envelopes: [{ ...envelopes[0], grams: -1 }] } },
      'materials.envelopes[0].grams',
    ],
    [{ materials: { envelopes: envelopes.toReversed() } }, 'materials.envelopes[1].sheetsMax'],
    [
      { materials: { envelopes: [envelopes[0], envelopes[0]] } },
      'materials.envelopes[1].sheetsMax',
    ],
  ])('400: %j names %s', async (wrong, field) => {
    const { status, body } = await put({ ...capabilities, ...wrong })

    expect([status, body.errors.map(({ title }: { title: string }) => title)]).toEqual([
      400,
      [field],
    ])
  })
})
