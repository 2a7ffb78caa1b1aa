import { aProblem } from '@despatch/testing/a-problem'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
await administration.asAdmin('POST', '/providers', {
  providerId: 'south',
  name: 'South',
  printLocations: ['SOUTH'],
})

const issue = (body: object) => administration.asAdmin('POST', '/serial-stock', body)

describe('POST /serial-stock', () => {
  test('200: adds new numbers, and leaves numbers of the same provider unchanged', async () => {
    const stock = { jobType: 'LICENCE', providerId: 'north' }

    const first = await issue({ ...stock, serialNumbers: ['A1', 'A2', 'A1'] })
    await administration.db
      .updateTable('serial_number')
      .set({ state: 'SPOILED', reason: 'torn' })
      .where('serial_number', '=', 'A2')
      .execute()
    const second = await issue({ ...stock, serialNumbers: ['A2', 'A3'] })
    const again = await issue({ ...stock, serialNumbers: ['A2', 'A3'] })

    const account = { issued: 2, used: 0, spoiled: 0, inStock: 2 }
    expect([first.status, first.body]).toEqual([200, { ...stock, added: 2, account }])
    const later = { issued: 3, used: 0, spoiled: 1, inStock: 2 }
    expect(second.body).toEqual({ ...stock, added: 1, account: later })
    expect(again.body).toEqual({ ...stock, added: 0, account: later })
    const { body: audit } = await administration.asAdmin('GET', '/audit-events?limit=2')
    expect(audit.auditEvents).toMatchObject([
      { action: 'serial-stock.issued', detail: { ...stock, added: 1, asked: 2 } },
      { action: 'serial-stock.issued', detail: { ...stock, added: 2, asked: 2 } },
    ])
  })

  test('200: accepts a range with leading zeros', async () => {
    const range = { prefix: 'V', first: 8, last: 11, digits: 4 }

    const { status, body } = await issue({ jobType: 'VISA', providerId: 'north', range })

    expect([status, body.added]).toEqual([200, 4])
    const rows = await administration.db
      .selectFrom('serial_number')
      .select(['serial_number', 'state', 'issued_as', 'issued_by'])
      .where('job_type', '=', 'VISA')
      .orderBy('serial_number')
      .execute()
    expect(rows.map(({ serial_number }) => serial_number)).toEqual([
      'V0008',
      'V0009',
      'V0010',
      'V0011',
    ])
    expect(rows[0]).toMatchObject({
      state: 'IN_STOCK',
      issued_as: 'stock',
      issued_by: `consumer:${administration.ids.admin}`,
    })
  })

  test.each(byEffort({ landing: [2_000], full: [100_000] }))(
    '200: accepts %i numbers at once',
    async (count) => {
      const range = { first: 1, last: count, digits: 6 }

      const { status, body } = await issue({ jobType: 'BULK', providerId: 'north', range })

      expect([status, body.added]).toEqual([200, count])
    },
  )

  test('409: another provider has one of the numbers, and none is added', async () => {
    await issue({ jobType: 'BADGE', providerId: 'north', serialNumbers: ['B1'] })

    const taken = await issue({
      jobType: 'BADGE',
      providerId: 'south',
      serialNumbers: ['B0', 'B1'],
    })
    const otherType = await issue({ jobType: 'OTHER', providerId: 'south', serialNumbers: ['B1'] })

    expect(taken).toMatchObject(
      refusal(
        '409 CONFLICT',
        'PrintRunConflict',
        'Another provider already has some of these serial numbers, such as B1',
        'Not possible now',
      ),
    )
    expect(otherType.status).toBe(200)
    const { body } = await administration.asAdmin('GET', '/serial-stock?jobType=BADGE')
    expect(body.accounts).toMatchObject([{ providerId: 'north', issued: 1 }])
  })

  const stock = { jobType: 'LICENCE', providerId: 'north' }
  const range = { first: 1, last: 2, digits: 1 }
  test.for<[what: string, body: object, title: string, detail: string]>([
    ['no numbers', stock, 'serialNumbers', 'serialNumbers must be given unless range is'],
    [
      'numbers in both ways',
      { ...stock, serialNumbers: ['A'], range },
      'range',
      'range must be left out when serialNumbers is given',
    ],
    [
      'a range backwards',
      { ...stock, range: { ...range, first: 3 } },
      'range.last',
      'range.last must not be below first',
    ],
    [
      'more than 100,000',
      { ...stock, range: { first: 0, last: 100_000, digits: 6 } },
      'range.last',
      'range.last must be less than 100000 above first',
    ],
    [
      'too few digits',
      { ...stock, range: { ...range, last: 10 } },
      'range.last',
      'range.last must not have more than the given digits',
    ],
  ])('400: %s', async ([, body, title, detail]) => {
    expect(await issue(body)).toMatchObject(aProblem(400, { title, detail }))
  })

  test('404: the provider is unknown', async () => {
    const answer = await issue({ ...stock, providerId: 'nobody', serialNumbers: ['A'] })

    expect(answer).toMatchObject(aProblem(404, { code: 'ProviderNotFound' }))
  })
})

test('GET /serial-stock: 200, counts used, spoiled and available numbers', async () => {
  for (const providerId of ['south', 'north']) {
    const serialNumbers = ['1', '2', '3', '4'].map((number) => providerId + number)
    await issue({ jobType: 'CARD', providerId, serialNumbers })
  }
  const set = (serialNumber: string, values: object) =>
    administration.db
      .updateTable('serial_number')
      .set(values)
      .where('serial_number', '=', serialNumber)
      .execute()
  await set('north1', { state: 'USED', batch_number: 'R1', document_id: 'D1', attempt: 1 })
  await set('north2', { state: 'SPOILED' })

  const { status, body } = await administration.as('operator', 'GET', '/serial-stock?jobType=CARD')
  const { body: ofSouth } = await administration.asAdmin(
    'GET',
    '/serial-stock?jobType=CARD&providerId=south',
  )

  expect(status).toBe(200)
  const south = { providerId: 'south', jobType: 'CARD', issued: 4, used: 0, spoiled: 0, inStock: 4 }
  expect(body).toEqual({
    accounts: [
      { providerId: 'north', jobType: 'CARD', issued: 4, used: 1, spoiled: 1, inStock: 2 },
      south,
    ],
  })
  expect(ofSouth).toEqual({ accounts: [south] })
})
