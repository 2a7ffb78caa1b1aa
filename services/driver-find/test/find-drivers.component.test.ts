import { shared } from '@despatch/testing/shared'
import { unlistedHeaders } from '@despatch/testing/unlisted-headers'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  aDriver,
  aDriverDatabase,
  aDriverFind,
  type Headers,
  path,
  refusal,
} from './a-driver-find.ts'

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
await database.db
  .insertInto('usage_plan')
  .values({
    name: 'one-a-day',
    service: 'driver-find',
    requests_per_second: 100,
    burst: 100,
    requests_per_day: 1,
  })
  .execute()
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

  test('every header is in the OpenAPI document', async () => {
    const { api } = driverFind.service
    const { paths } = (await api.inject('/driver-find/v1/openapi.json')).json()

    const found = await driverFind.post({ criteria: morgan })

    expect(unlistedHeaders(found, paths[path].post.responses)).toEqual([])
  })

  test('no match: an empty list', async () => {
    const { status, body, headers } = await driverFind.post({
      criteria: { ...morgan, lastName: 'Nobody' },
    })
    expect([status, body, headers['x-total-count']]).toEqual([200, { results: [] }, '0'])
  })

  test.for(['includeImagesInResults', 'includeImagesInResponse'])(
    '%s: returns stored images',
    async (option) => {
      const { body } = await driverFind.post({ criteria: morgan, options: { [option]: true } })
      expect(body.results.map(({ image }: { image?: unknown }) => image)).toEqual([
        undefined,
        { image: Buffer.from('a jpeg').toString('base64'), imageFormat: 'image/jpeg' },
      ])
    },
  )

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

  test('full name and date of birth are enough for a search', async () => {
    const criteria = { fullName: 'Sara Morgan', dateOfBirth: '1965-07-05' }
    expect((await driverFind.find({ criteria })).total).toBe('2')
  })
})

describe('limit and offset of the headers override the query, the body and the options, in this order', () => {
  const body = { criteria: many, limit: 3, offset: 30, options: { limit: 4, offset: 40 } }
  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => numberOfMany(from + index))

  test.for([
    ['neither: 20 from the first', { criteria: many }, {}, range(0, 20)],
    ['options', { criteria: many, options: { limit: 4, offset: 40 } }, {}, range(40, 4)],
    ['body', body, {}, range(30, 3)],
    ['query', body, { query: '?limit=2&offset=20' }, range(20, 2)],
    [
      'headers',
      body,
      { query: '?limit=2&offset=20', headers: { limit: '1', offset: '10' } },
      range(10, 1),
    ],
    ['limit from one place, offset from another', body, { headers: { limit: '1' } }, range(30, 1)],
    ['the greatest', { criteria: many, limit: 50, offset: 49 }, {}, range(49, 11)],
  ] as const)('%s', async ([, asked, where, numbers]) => {
    expect(await driverFind.find(asked, where)).toEqual({ total: '60', numbers })
  })

  test.for<[place: string, where: { headers?: Headers; query?: string }]>([
    ['request header', { headers: { limit: '51' } }],
    ['query string', { query: '?limit=0' }],
  ])('an invalid value names its source: %s', async ([place, { headers = {}, query = '' }]) => {
    const { status, body } = await driverFind.post(
      { criteria: many },
      { headers: { ...driverFind.insurer, ...headers }, query },
    )
    expect({ status, body }).toEqual(
      refusal(
        400,
        'REQUEST_VALIDATION_ERROR',
        `Invalid format for field - limit (${place}: a whole number from 1 to 50)`,
      ),
    )
  })
})

describe('400', () => {
  const unreadable = 'Failed to parse request body'
  test.for([
    ['broken JSON', '{"criteria"', unreadable],
    [
      'two criteria',
      { criteria: { lastName: 'Morgan', gender: 'Male' } },
      'Invalid format for field - criteria (any 3 of firstNames, lastName, dateOfBirth, postcode, gender; fullName counts as two)',
    ],
  ] as const)('%s', async ([, body, detail]) => {
    const { status, body: answer } = await driverFind.post(body)
    expect({ status, body: answer }).toEqual(refusal(400, 'REQUEST_VALIDATION_ERROR', detail))
  })
})

describe('refusals outside the operation have the error format of this API', () => {
  test('404: the URL is unknown', async () => {
    const answer = await driverFind.service.api.inject({
      url: '/driver-find/v1/drivers',
      headers: driverFind.insurer,
    })
    expect([answer.statusCode, answer.json().errors[0].code]).toEqual([404, 'NotFound'])
  })

  test('413: the body exceeds 16 KiB; 415: the body has another type', async () => {
    const large = await driverFind.post({ criteria: morgan, padding: 'x'.repeat(17_000) })
    const other = await driverFind.post('<criteria/>', {
      headers: { ...driverFind.insurer, 'content-type': 'text/xml' },
    })
    expect([large.status, large.body.errors[0].code]).toEqual([413, 'PayloadTooLarge'])
    expect([other.status, other.body.errors[0].code]).toEqual([415, 'UnsupportedMediaType'])
  })

  test('429: the usage plan is exceeded', async () => {
    const headers = await driverFind.aConsumer({ usagePlan: 'one-a-day' })
    const first = await driverFind.post({ criteria: morgan }, { headers })
    const second = await driverFind.post({ criteria: morgan }, { headers })
    expect([first.status, second.status, second.body.errors[0].code]).toEqual([
      200,
      429,
      'TooManyRequests',
    ])
  })

  test('500: a fault returns only an error id', async () => {
    const broken = await aDriverDatabase()
    const service = await aDriverFind(broken)
    onTestFinished(async () => {
      await service.close()
      await broken.close()
    })
    await broken.pool.query('alter table driver_search rename to elsewhere')
    const { status, body } = await service.post({ criteria: morgan })
    expect(status).toBe(500)
    expect(body).toEqual({
      errors: [
        {
          status: '500',
          code: 'InternalServerError',
          detail: expect.stringMatching(/^Unexpected error\. Error id: [0-9a-f-]{36}$/),
        },
      ],
    })
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
