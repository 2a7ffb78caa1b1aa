import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const list = (provider = 'north') => fulfilment.call('GET', '/capabilities', { provider })
const put = (body: unknown, { site = 'NORTH', provider = 'north' } = {}) =>
  fulfilment.call('PUT', `/capabilities/${site}`, { body, provider })

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

const audited = async () => {
  const { rows } = await fulfilment.database.pool.query(
    `select actor, action, detail from audit_event where action = 'print-site.capabilities' order by at`,
  )
  return rows
}

describe('GET /capabilities', () => {
  test('lists the sites of the provider, which can do everything until the provider reports otherwise', async () => {
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
})

describe('PUT /capabilities/NORTH', () => {
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

  test('400: names each invalid field', async () => {
    const { status, body } = await put({
      ...capabilities,
      formats: ['POSTCARD'],
      sheetsMax: 0,
      calendar: { ...capabilities.calendar, cutOff: '25:00' },
      maintenance: [{ from: '2026-12-02T00:00:00Z', until: '2026-12-01T00:00:00Z' }],
    })

    expect(status).toBe(400)
    expect(body.errors.map(({ title }: { title: string }) => title).toSorted()).toEqual([
      'calendar.cutOff',
      'formats[0]',
      'maintenance[0].until',
      'sheetsMax',
    ])
  })

  const { papers, envelopes } = capabilities.materials
  test.each([
    [{ papers: [{ stationery: 'A4-CARD', gramsPerSquareMetre: 80 }] }, 'papers[0].stationery'],
    [{ papers: [...papers, ...papers] }, 'papers[1].stationery'],
    [{ papers: [{ ...papers[0], gramsPerSquareMetre: 19 }] }, 'papers[0].gramsPerSquareMetre'],
    [{ envelopes: [] }, 'envelopes'],
    [{ envelopes: [{ ...envelopes[0], grams: -1 }] }, 'envelopes[0].grams'],
    [{ envelopes: envelopes.toReversed() }, 'envelopes[1].sheetsMax'],
    [{ envelopes: [envelopes[0], envelopes[0]] }, 'envelopes[1].sheetsMax'],
  ])('400: materials %j name %s', async (materials, field) => {
    const { status, body } = await put({ ...capabilities, materials })

    expect([status, body.errors.map(({ title }: { title: string }) => title)]).toEqual([
      400,
      [`materials.${field}`],
    ])
  })

  test('404: the site belongs to another provider, and nothing changes', async () => {
    const before = await list('south')

    const answers = [
      await put(capabilities, { site: 'SOUTH' }),
      await put(capabilities, { site: 'NOWHERE' }),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [404, 'PrintSiteNotFound'],
      [404, 'PrintSiteNotFound'],
    ])
    expect((await list('south')).body).toEqual(before.body)
  })
})
