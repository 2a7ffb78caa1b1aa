import {
  openSerialBook,
  saveSerialBook,
  takeSerialNumber,
} from '@despatch/store/serial-stock/serial-book'
import { aProblem } from '@despatch/testing/a-problem'
import { byEffort } from '@despatch/testing/effort'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, printRunConflict } from './an-administration.ts'

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
    expect(await administration.audited('action=serial-stock.issued')).toMatchObject([
      { detail: { ...stock, added: 1, asked: 2 } },
      { detail: { ...stock, added: 2, asked: 2 } },
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
    const numbers = rows.map(({ serial_number }) => serial_number)
    expect(numbers).toEqual(['V0008', 'V0009', 'V0010', 'V0011'])
    const issued = { issued_as: 'stock', issued_by: administration.actorOf('admin') }
    expect(rows[0]).toMatchObject({ state: 'IN_STOCK', ...issued })
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

    const ofSouth = { providerId: 'south', serialNumbers: ['B0', 'B1'] }
    const taken = await issue({ jobType: 'BADGE', ...ofSouth })
    const otherType = await issue({ jobType: 'OTHER', ...ofSouth })

    expect(taken).toMatchObject(
      printRunConflict('Another provider already has some of these serial numbers, such as B1'),
    )
    expect(otherType.status).toBe(200)
    const { body } = await administration.asAdmin('GET', '/serial-stock?jobType=BADGE')
    expect(body.accounts).toMatchObject([{ providerId: 'north', issued: 1 }])
  })

  const stock = { jobType: 'LICENCE', providerId: 'north' }
  const range = { first: 1, last: 2, digits: 1 }
  test.for<[numbers: object, title: string, rule: string]>([
    [{}, 'serialNumbers', 'must be given unless range is'],
    [{ serialNumbers: ['A'], range }, 'range', 'must be left out when serialNumbers is given'],
    [{ range: { ...range, first: 3 } }, 'range.last', 'must not be below first'],
    [
      { range: { first: 0, last: 100_000, digits: 6 } },
      'range.last',
      'must be less than 100000 above first',
    ],
    [{ range: { ...range, last: 10 } }, 'range.last', 'must not have more than the given digits'],
  ])('400: %o: %s %s', async ([numbers, title, rule]) => {
    expect(await issue({ ...stock, ...numbers })).toMatchObject(
      aProblem(400, { title, detail: `${title} ${rule}` }),
    )
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

  const path = '/serial-stock?jobType=CARD'
  const { status, body } = await administration.asOperator('GET', path)
  const { body: ofSouth } = await administration.asOperator('GET', `${path}&providerId=south`)

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

test('a serial number that a provider is reporting cannot be issued to another provider', async () => {
  const name = { jobType: 'PASS', serialNumber: '1' }
  const { db, pool } = administration
  const holder = { batchNumber: 'R1', documentId: 'D1', attempt: 1 }
  let issuing: ReturnType<typeof issue> | undefined

  await db.transaction().execute(async (tx) => {
    const book = await openSerialBook(tx, [name])
    issuing = issue({ jobType: 'PASS', providerId: 'south', serialNumbers: ['1'] })
    await Promise.race([
      issuing,
      eventually(isWaitingForLock, { message: 'the issue waits for the report' }),
    ])
    takeSerialNumber(book, name, { providerId: 'north', holder, as: 'USED' })
    await saveSerialBook(tx, book)
  })

  expect(await issuing).toMatchObject({ status: 409 })
  const { rows } = await pool.query(
    `select provider_id, state from serial_number where job_type = 'PASS'`,
  )
  expect(rows).toEqual([{ provider_id: 'north', state: 'USED' }])
})

async function isWaitingForLock(): Promise<boolean> {
  const { rows } = await administration.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}
