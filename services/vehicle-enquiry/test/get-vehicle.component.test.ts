import { numberHasher } from '@despatch/access/enquiry-number'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { listUsageOfDay } from '@despatch/store/access/usage-of-day'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  aVehicleEnquiry,
  badRequest,
  fault,
  forbidden,
  notFound,
  now,
  path,
  refusal,
} from './a-vehicle-enquiry.ts'

const everyMember: VehicleRecord = {
  registrationNumber: 'AA19AAA',
  taxStatus: 'Taxed',
  taxDueDate: '2027-11-20',
  artEndDate: '2025-03-30',
  motStatus: 'No details held by Service',
  motExpiryDate: '2027-01-01',
  make: 'FORD',
  monthOfFirstServiceRegistration: '2019-03',
  monthOfFirstRegistration: '2019-03',
  yearOfManufacture: 2019,
  engineCapacity: 2000,
  co2Emissions: 300,
  fuelType: 'PETROL',
  markedForExport: false,
  colour: 'RED',
  typeApproval: 'M1',
  wheelplan: '2 AXLE RIGID BODY',
  revenueWeight: 0,
  realDrivingEmissions: '1',
  dateOfLastV5CIssued: '2019-05-20',
  euroStatus: 'EURO1',
  automatedVehicle: false,
}
const sorn: VehicleRecord = { registrationNumber: 'L2WPS', taxStatus: 'SORN', make: 'AUDI' }
const strange = {
  registrationNumber: 'AB1',
  make: null,
  colour: 'RED',
  keeper: 'A Person',
} as unknown as VehicleRecord

const service = await shared(aVehicleEnquiry({ vehicles: [everyMember, sorn, strange] }))
const limits = { requests_per_second: 10, burst: 0, requests_per_day: 1 }
await service.db
  .insertInto('usage_plan')
  .values({ name: 'one-a-day', service: 'vehicle-enquiry', ...limits })
  .execute()

const withoutHeaders = ({ status, body }: Answer) => ({ status, body })
const enquire = async (registrationNumber: unknown) =>
  withoutHeaders(await service.enquire(registrationNumber))

describe('200', () => {
  test('returns every member of the interface', async () => {
    expect(await enquire('AA19AAA')).toEqual({ status: 200, body: everyMember })
  })

  test('leaves out unknown values', async () => {
    expect(await enquire('L2WPS')).toEqual({ status: 200, body: sorn })
  })

  test('leaves out null and members outside the interface', async () => {
    const body = { registrationNumber: 'AB1', colour: 'RED' }
    expect(await enquire('AB1')).toEqual({ status: 200, body })
  })

  test('accepts the registration number in either case', async () => {
    expect(await enquire('aa19aAa')).toEqual({ status: 200, body: everyMember })
  })

  test('ignores unlisted members of the body', async () => {
    const answer = await service.post({ registrationNumber: 'L2WPS', make: ['FORD'], '': null })

    expect(withoutHeaders(answer)).toEqual({ status: 200, body: sorn })
  })

  test('answers each of many concurrent enquiries with its own vehicle', async () => {
    const numbers = ['AA19AAA', 'L2WPS', 'NONE1', 'AB1']
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => enquire(numbers[index % 4])),
    )

    const expected = await Promise.all(numbers.map((number) => enquire(number)))
    expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => expected[index % 4]))
    expect(expected.map(({ status }) => status)).toEqual([200, 200, 404, 200])
  })

  test('returns the correlation id of the caller', async () => {
    const headers = { ...service.fleet.headers, 'X-Correlation-Id': 'order 66' }
    const answer = await service.post({ registrationNumber: 'L2WPS' }, headers)

    expect(answer.headers['x-correlation-id']).toBe('order 66')
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
  })
})

describe('400', () => {
  const pattern = 'registrationNumber must match "^[A-Za-z0-9]{1,8}$"'
  test.for<[name: string, registrationNumber: unknown, told: string]>([
    ['a space inside', 'AA19 AAA', pattern],
    ['a letter that upper-cases to ASCII', 'AA19ıAA', pattern],
    ['NUL', 'AA19\0', 'registrationNumber must not contain NUL characters or unpaired surrogates'],
  ])('the registration number is %s', async ([, registrationNumber, told]) => {
    expect(await enquire(registrationNumber)).toEqual(badRequest(told))
  })

  test('the body is a list', async () => {
    const answer = await service.post([{ registrationNumber: 'AA19AAA' }])
    expect(withoutHeaders(answer)).toEqual(badRequest('body must be an object'))
  })

  test('the body is cut off', async () => {
    const answer = await service.post('{"registrationNumber":"AA19AAA"')
    const told = 'The request body must be JSON. It ends too early'
    expect(withoutHeaders(answer)).toEqual(refusal(400, 'Bad request', told))
  })

  test('the purpose is malformed', async () => {
    const headers = { ...service.fleet.headers, 'x-enquiry-purpose': 'a <purpose>' }
    const answer = await service.post({ registrationNumber: 'L2WPS' }, headers)

    const told = 'X-Enquiry-Purpose must match "^[A-Za-z0-9 _.:/-]{1,64}$"'
    expect(withoutHeaders(answer)).toEqual(refusal(400, 'Bad request', told))
  })
})

describe('403', () => {
  test.for<[name: string, changes: object]>([
    ['expired', { api_key_expires_on: '2026-06-14' }],
    ['disabled', { disabled_at: new Date() }],
  ])('the consumer is %s', async ([userName, changes]) => {
    const { headers } = await service.aConsumer(userName, changes)
    const answer = await service.post({ registrationNumber: 'L2WPS' }, headers)
    expect(withoutHeaders(answer)).toEqual(forbidden)
  })
})

describe('404', () => {
  test('the registration number is unknown', async () => {
    expect(await enquire('NONE1')).toEqual(notFound)
  })

  test('no vehicle set exists', async () => {
    const empty = await aVehicleEnquiry()
    onTestFinished(empty.stop)
    expect(withoutHeaders(await empty.enquire('AA19AAA'))).toEqual(notFound)
  })

  test.for([
    ['POST', '/vehicle-enquiry/v1/vehicle', 404, 'Not Found', 'The address does not exist'],
    ['GET', `${path}/AA19AAA`, 404, 'Not Found', 'The address does not exist'],
    ['GET', path, 405, 'Method Not Allowed', 'The address accepts only POST'],
  ] as const)(
    'the URL or method does not exist: %s %s',
    async ([method, url, status, title, detail]) => {
      const answer = await service.service.api.inject({ method, url })

      expect({ status: answer.statusCode, body: answer.json() }).toEqual(
        refusal(status, title, detail),
      )
    },
  )
})

test('413: the body exceeds 16 KiB', async () => {
  const answer = await service.post({ registrationNumber: 'A'.repeat(16 * 1024) })
  const expected = refusal(
    413,
    'Payload Too Large',
    'The request body is too large: at most 16384 bytes are accepted',
  )
  expect(withoutHeaders(answer)).toEqual(expected)
})

test('415: the content type is not JSON', async () => {
  const headers = { ...service.fleet.headers, 'content-type': 'text/plain' }
  const answer = await service.post('{"registrationNumber":"AA19AAA"}', headers)
  const told = 'The Content-Type must be application/json'
  expect(withoutHeaders(answer)).toEqual(refusal(415, 'Unsupported Media Type', told))
})

test('429: the usage plan is exceeded', async () => {
  const { aConsumer, post } = service
  const { headers } = await aConsumer('seldom', { usage_plan: 'one-a-day' })

  const first = await post({ registrationNumber: 'L2WPS' }, headers)
  const second = await post({ registrationNumber: 'L2WPS' }, headers)

  expect(first.status).toBe(200)
  const told = 'Too many requests: the limit is 1 per day (UTC)'
  expect(withoutHeaders(second)).toEqual(refusal(429, 'Throttled', told))
  expect(second.headers['retry-after']).toBe(String(12 * 60 * 60))
})

test('enquiries without a usage plan are counted, too', async () => {
  const { aConsumer, post, db } = service
  const { consumerId, headers } = await aConsumer('counted')
  await post({ registrationNumber: 'L2WPS' }, headers)

  const usage = await eventually(
    async () => {
      const day = Math.floor(now.getTime() / 86_400_000)
      return (await listUsageOfDay(db, { consumerId, day })).get('vehicle-enquiry')
    },
    { message: 'the enquiry is counted' },
  )

  expect(usage).toMatchObject({ requests: 1, refused: 0 })
})

test('500: the records cannot be read, and the answer has only an id', async () => {
  const broken = await aVehicleEnquiry()
  onTestFinished(broken.stop)
  await broken.pool.query('drop table vehicle_record')

  expect(withoutHeaders(await broken.enquire('AA19AAA'))).toEqual(fault)
})

test('500: the enquiry cannot be audited, and the answer has no vehicle', async () => {
  const broken = await aVehicleEnquiry({ vehicles: [sorn] })
  onTestFinished(broken.stop)
  await broken.pool.query('alter table enquiry_audit rename to gone')

  expect(withoutHeaders(await broken.enquire('L2WPS'))).toEqual(fault)
})

test('503: requests cannot be counted, and the setting is to refuse', async () => {
  const strict = await aVehicleEnquiry({
    settings: { QUEUE_URL: 'redis://127.0.0.1:1', DESPATCH_LIMITS_WHEN_STORE_DOWN: 'refuse' },
  })
  onTestFinished(strict.stop)
  const { headers } = await strict.aConsumer('limited', { usage_plan: 'standard' })

  const answer = await strict.post({ registrationNumber: 'L2WPS' }, headers)

  const told = 'The usage of the service cannot be counted at present'
  expect(withoutHeaders(answer)).toEqual(refusal(503, 'Service unavailable', told))
})

describe('the audit', () => {
  const hashOf = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)

  test('has a row for every enquiry of a known caller, with any answer', async () => {
    const audited = await aVehicleEnquiry({ vehicles: [sorn] })
    onTestFinished(audited.stop)
    const headersOf = (id: string) => ({ ...audited.fleet.headers, 'x-correlation-id': id })
    const purposed = { ...headersOf('found'), 'x-enquiry-purpose': 'CLAIM 12/a' }
    const ask = (registrationNumber: unknown, headers: Record<string, string>) =>
      audited.post({ registrationNumber }, headers)
    await ask('l2wps', purposed)
    await ask('NONE1', headersOf('not-found'))
    await ask('AA 19', headersOf('malformed'))
    await audited.post('{', headersOf('unreadable'))
    await audited.pool.query('drop table vehicle_record')
    await ask('L2WPS', headersOf('failed'))
    await ask('L2WPS', { 'x-api-key': 'key-of-nobody' })

    const consumer_id = audited.fleet.consumerId
    const row = { consumer_id, purpose: null, number_hash: null }
    expect(await audited.enquiries()).toEqual([
      {
        ...row,
        correlation_id: 'found',
        outcome: 'found',
        status: 200,
        purpose: 'CLAIM 12/a',
        number_hash: hashOf('L2WPS'),
      },
      {
        ...row,
        correlation_id: 'not-found',
        outcome: 'not-found',
        status: 404,
        number_hash: hashOf('NONE1'),
      },
      { ...row, correlation_id: 'malformed', outcome: 'refused', status: 400 },
      { ...row, correlation_id: 'unreadable', outcome: 'refused', status: 400 },
      {
        ...row,
        correlation_id: 'failed',
        outcome: 'failed',
        status: 500,
        number_hash: hashOf('L2WPS'),
      },
    ])
  })
})

test('serves its OpenAPI document at /v1/openapi.json', async () => {
  const answer = await service.service.api.inject('/vehicle-enquiry/v1/openapi.json')

  const { info, paths, components } = answer.json()
  const { post } = paths['/vehicle-enquiry/v1/vehicles']
  expect(info.version).toBe('1.2.0')
  expect(Object.keys(components.securitySchemes)).toEqual(['apiKey'])
  expect(post.security).toEqual([{ apiKey: [] }])
  expect(Object.keys(post.responses)).toEqual(
    [200, 400, 403, 404, 405, 413, 415, 429, 500, 503].map(String),
  )
  const body = '#/components/schemas/VehicleRequest'
  expect(post.requestBody.content['application/json'].schema).toEqual({ $ref: body })
  expect(components.schemas.VehicleRequest).toMatchObject({
    required: ['registrationNumber'],
    properties: { registrationNumber: { type: 'string', pattern: '^[A-Za-z0-9]{1,8}$' } },
  })
})
