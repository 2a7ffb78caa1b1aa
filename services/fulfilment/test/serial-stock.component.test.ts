import { useSerialNumbers } from '@despatch/store/serial-stock/serial-numbers'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
beforeEach(() => fulfilment.database.pool.query('delete from serial_number'))

const account = (provider = 'north') => fulfilment.call('GET', '/serial-stock', { provider })
const spoil = (serialNumbers: readonly string[], rest: object = {}) =>
  fulfilment.call('POST', '/serial-stock/spoilage', {
    body: { jobType: 'LETTER', serialNumbers, reason: 'Flooded', ...rest },
  })
const issue = (numbers: readonly string[], { providerId = 'north', jobType = 'LETTER' } = {}) =>
  fulfilment.rows(
    `insert into serial_number (job_type, serial_number, provider_id, state, issued_as, issued_by)
    select $1, number, $2, 'IN_STOCK', 'stock', 'test' from unnest($3::text[]) as row (number)`,
    jobType,
    providerId,
    numbers,
  )
const aRun = (count: number) => fulfilment.anAcknowledgedRun(...Array<object>(count).fill({}))
/** A report that the document was printed with this number. */
const printed = (documentId: string, serialNumber: string) => ({
  documentId,
  type: 'PRINTED',
  serialNumber,
})

describe('GET /serial-stock', () => {
  test('counts each issued number as used, spoiled or in stock', async () => {
    const { batchNumber, documentIds } = await aRun(2)
    const [one, two] = documentIds
    await issue(['S1', 'S2', 'S3', 'S4', 'S5'])
    await issue(['C1'], { jobType: 'CARD' })
    await issue(['S6'], { providerId: 'south' })

    await production.report(batchNumber, [
      printed(one, 'S1'),
      printed(two, 'S2'),
      { documentId: two, type: 'SPOILED' },
    ])
    await spoil(['S3'])

    const { status, body } = await account()
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jobTypes: [
          { jobType: 'CARD', issued: 1, used: 0, spoiled: 0, inStock: 1 },
          { jobType: 'LETTER', issued: 5, used: 1, spoiled: 2, inStock: 2 },
        ],
      },
    })
    expect((await account('south')).body.jobTypes).toEqual([
      { jobType: 'LETTER', issued: 1, used: 0, spoiled: 0, inStock: 1 },
    ])
  })
})

describe('POST /serial-stock/spoilage', () => {
  test('takes numbers out of stock, and a repetition is safe', async () => {
    await issue(['S1', 'S2', 'S3'])
    const spoiled = {
      jobTypes: [{ jobType: 'LETTER', issued: 3, used: 0, spoiled: 2, inStock: 1 }],
    }

    expect((await spoil(['S1', 'S2'])).body).toEqual(spoiled)
    expect((await spoil(['S2', 'S1'], { reason: 'Again' })).body).toEqual(spoiled)

    const spoilt = await fulfilment.rows(
      `select serial_number, reason from serial_number where state = 'SPOILED' order by 1`,
    )
    expect(spoilt).toEqual([
      { serial_number: 'S1', reason: 'Flooded' },
      { serial_number: 'S2', reason: 'Flooded' },
    ])
  })

  test('400: names numbers that are unknown, used or of another provider, and spoils none', async () => {
    const { batchNumber, documentIds } = await aRun(1)
    await issue(['S1', 'S2'])
    await issue(['S3'], { providerId: 'south' })
    await production.report(batchNumber, [printed(documentIds[0], 'S2')])

    const { status, body } = await spoil(['S1', 'S2', 'S3', 'S4'])

    expect({ status, body }).toEqual({
      status: 400,
      body: {
        errors: [1, 2, 3].map((place) => ({
          status: '400 BAD_REQUEST',
          code: 'NotFound',
          title: `serialNumbers[${place}]`,
          detail: `serialNumbers[${place}] is not a number of LETTER in the stock of the provider`,
        })),
      },
    })
    expect((await account()).body.jobTypes).toEqual([
      { jobType: 'LETTER', issued: 2, used: 1, spoiled: 0, inStock: 1 },
    ])
  })
})

describe('POST /print-runs/{batchNumber}/events with a serial number', () => {
  test('a number belongs to one attempt at one document', async () => {
    const { batchNumber, documentIds } = await aRun(2)
    const other = await aRun(1)
    const [one, two] = documentIds
    const [elsewhere] = other.documentIds

    const results = [
      await production.results(batchNumber, [printed(one, 'S1'), printed(two, 'S1')]),
      await production.results(other.batchNumber, [printed(elsewhere, 'S1')]),
    ]
    await production.report(batchNumber, [{ documentId: one, type: 'SPOILED' }])
    await fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
      body: { documents: [{ documentId: one, reasonCode: 'JAM' }] },
    })
    const again = await production.results(batchNumber, [{ ...printed(one, 'S1'), attempt: 2 }])

    expect([...results, again]).toEqual([
      ['APPLIED', 'serial-number-taken'],
      ['serial-number-taken'],
      ['serial-number-taken'],
    ])
    expect(await production.serialNumbers('LETTER')).toEqual([`S1 SPOILED ${one} 1`])
    expect(await production.standings(batchNumber)).toEqual(['2', '1'])
  })

  test('only one of two concurrent runs can use a number', async () => {
    const [one, other] = [await aRun(1), await aRun(1)]
    const use = (run: typeof one) =>
      production.results(run.batchNumber, [printed(run.documentIds[0], 'S1')])

    const results = await Promise.all([use(one), use(other)])

    expect(results.flat().toSorted()).toEqual(['APPLIED', 'serial-number-taken'])
  })

  test('once stock was issued, only numbers in the stock of the provider can be used', async () => {
    const { batchNumber, documentIds } = await aRun(4)
    const [a, b, c, d] = documentIds
    await issue(['S1', 'S2'])
    await issue(['S3'], { providerId: 'south' })
    await spoil(['S2'])

    const results = await production.results(batchNumber, [
      printed(a, 'S1'),
      printed(b, 'S2'),
      printed(c, 'S3'),
      printed(d, 'S4'),
    ])

    expect(results).toEqual([
      'APPLIED',
      'serial-number-not-in-stock',
      'serial-number-not-in-stock',
      'serial-number-not-in-stock',
    ])
    expect(await production.standings(batchNumber)).toEqual(['1 PRINTED', '1', '1', '1'])
  })

  test('a spoiled attempt spoils its number, whether named or not, before or after the print', async () => {
    const { batchNumber, documentIds } = await aRun(3)
    const [a, b, c] = documentIds

    await production.report(batchNumber, [
      printed(a, 'S1'),
      { documentId: a, type: 'SPOILED', serialNumber: 'S1' },
      { documentId: b, type: 'SPOILED' },
      printed(b, 'S2'),
      { documentId: c, type: 'SPOILED', serialNumber: 'S3' },
    ])

    expect(await production.serialNumbers('LETTER')).toEqual([
      `S1 SPOILED ${a} 1`,
      `S2 SPOILED ${b} 1`,
      `S3 SPOILED ${c} 1`,
    ])
  })
})

describe('useSerialNumbers', () => {
  test('returns an outcome for each use, and the same one on repetition', async () => {
    const { batchNumber, documentIds } = await aRun(3)
    const [a, b, c] = documentIds
    await issue(['S1', 'S2'])
    const uses = [
      { batchNumber, documentId: a, serialNumber: 'S1' },
      { batchNumber, documentId: b, serialNumber: 'S1' },
      { batchNumber, documentId: c, serialNumber: 'S9' },
    ]
    const use = () =>
      fulfilment.database.db
        .transaction()
        .execute((tx) => useSerialNumbers(tx, { providerId: 'north', uses }))

    expect([await use(), await use()]).toEqual([
      ['used', 'taken', 'not-in-stock'],
      ['used', 'taken', 'not-in-stock'],
    ])
    expect(await production.serialNumbers('LETTER')).toEqual([`S1 USED ${a} 1`, 'S2 IN_STOCK'])
  })
})
