import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aDriver, aDriverDatabase, aDriverFind } from './a-driver-find.ts'

const morgan = { lastName: 'Morgan', dateOfBirth: '1965-07-05', gender: 'Female' }
const many = { lastName: 'Many', dateOfBirth: '1990-01-01', gender: 'Male' }
const numberOfMany = (index: number) => `MANY${String(index).padStart(2, '0')}`

const database = await shared(
  aDriverDatabase([
    aDriver('MORGA657055SM9IJ', {
      photograph: Buffer.from('a jpeg').toString('base64'),
      previousDrivingLicences: [{ drivingLicenceNumber: 'PREVI657055SM9IJ', lastName: 'PREVIOUS' }],
    }),
    aDriver('MORGA657055SM8IJ'),
    ...Array.from({ length: 60 }, (_, index) =>
      aDriver(numberOfMany(index), { driver: { ...many, gender: 'Male', firstNames: 'OF' } }),
    ),
  ]),
)
const driverFind = await shared(aDriverFind(database))

describe('200', () => {
  test('exactly the members of the specification, with the total in a header', async () => {
    const { status, body, headers } = await driverFind.post({ criteria: morgan })
    expect({ status, body, total: headers['x-total-count'] }).toEqual({
      status: 200,
      body: {
        results: [
          { drivingLicenceNumber: 'MORGA657055SM8IJ', lastName: 'MORGAN', gender: 'Female' },
          { drivingLicenceNumber: 'MORGA657055SM9IJ', lastName: 'MORGAN', gender: 'Female' },
        ],
      },
      total: '2',
    })
  })

  test('returns stored images if they are asked for', async () => {
    const options = { includeImagesInResults: true }
    const { body } = await driverFind.post({ criteria: morgan, options })
    expect(body.results.map(({ image }: { image?: unknown }) => image)).toEqual([
      undefined,
      { image: Buffer.from('a jpeg').toString('base64'), imageFormat: 'image/jpeg' },
    ])
  })

  test('a driver found by a previous licence is marked, under the present name', async () => {
    const criteria = { ...morgan, lastName: 'Previous' }
    const { body } = await driverFind.post({ criteria })
    const without = await driverFind.find({
      criteria,
      options: { searchNamesOnPreviousLicences: false },
    })
    expect(body.results).toEqual([
      {
        drivingLicenceNumber: 'MORGA657055SM9IJ',
        lastName: 'MORGAN',
        gender: 'Female',
        driverRedirect: true,
      },
    ])
    expect(without).toEqual({ total: '0', numbers: [] })
  })
})

describe('limit and offset of the headers override the query, the body and the options, in this order', () => {
  const body = { criteria: many, limit: 3, offset: 30, options: { limit: 4, offset: 40 } }
  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => numberOfMany(from + index))

  test.for([
    ['options', { criteria: many, options: { limit: 4, offset: 40 } }, {}, range(40, 4)],
    ['body', body, {}, range(30, 3)],
    ['query', body, { query: '?limit=2&offset=20' }, range(20, 2)],
    [
      'headers',
      body,
      { query: '?limit=2&offset=20', headers: { limit: '1', offset: '10' } },
      range(10, 1),
    ],
  ] as const)('%s', async ([, asked, where, numbers]) => {
    expect(await driverFind.find(asked, where)).toEqual({ total: '60', numbers })
  })
})

test('every search is audited with the names of its criteria, and the number of results', async () => {
  const audited = await aDriverDatabase([aDriver('MORGA657055SM9IJ')])
  const service = await aDriverFind(audited)
  onTestFinished(async () => {
    await service.close()
    await audited.close()
  })
  const headers = { ...service.insurer, 'x-enquiry-purpose': 'claim 7' }
  await service.post({ criteria: morgan, options: { lastNameMatchType: 'token' } }, { headers })
  await service.post({ criteria: { ...morgan, lastName: 'Nobody' } })
  await service.post({ criteria: {} })

  const asked = ['lastName', 'dateOfBirth', 'gender']
  const none = { number_hash: null, purpose: null }
  expect(await service.enquiries()).toEqual([
    {
      ...none,
      purpose: 'claim 7',
      outcome: 'found',
      status: 200,
      asked: [...asked, 'lastNameMatchType=token'],
      results: 1,
    },
    { ...none, outcome: 'not-found', status: 200, asked, results: 0 },
    { ...none, outcome: 'refused', status: 400, asked: [], results: null },
  ])
})
