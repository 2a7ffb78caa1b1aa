import { numberHasher } from '@despatch/access/enquiry-number'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { headersOfTransfer } from '@despatch/testing/unlisted-headers'
import { expect, onTestFinished, test } from 'vitest'
import {
  aDriver,
  aDriverDatabase,
  aFullDriverEnquiry,
  path,
  refusal,
} from './a-full-driver-enquiry.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const number = 'MORGA657054SM9IJ'

const database = await shared(
  aDriverDatabase([
    aDriver(),
    aDriver({
      driver: { ...aDriver().driver, drivingLicenceNumber: 'SMITH711215JS9AB', lastName: 'SMITH' },
      endorsements: [
        { offenceCode: 'SP30', sentenceDate: '2020-01-01', penaltyPoints: 3 },
        { offenceCode: 'SP30', sentenceDate: '2023-01-01', disqualifiedPendingSentence: true },
      ],
    }),
  ]),
)
const plan = { name: 'one-a-day', requests_per_second: 100, burst: 0, requests_per_day: 1 }
await database.db
  .insertInto('usage_plan')
  .values({ ...plan, service: 'full-driver-enquiry' })
  .execute()
const enquiry = await shared(aFullDriverEnquiry(database))

test('200: returns driver, licence, entitlement, endorsements and token, and nothing that was not requested', async () => {
  const { status, body } = await enquiry.retrieve()

  expect(status).toBe(200)
  expect(body).toEqual({
    driver: aDriver().driver,
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [
      {
        categoryCode: 'H',
        categoryLegalLiteral: 'Tracked vehicles',
        categoryType: 'Full',
        fromDate: '1990-01-01',
        expiryDate: '2034-07-04',
        restrictions: [{ restrictionCode: '01', restrictionLiteral: 'eyesight correction' }],
      },
    ],
    endorsements: [],
    token: { validFromDate: '2020-01-02', validToDate: '2030-01-01', issueNumber: '03' },
  })
})

test('200: lists endorsements newest first, with both shapes of disqualifiedPendingSentence', async () => {
  const { body } = await enquiry.retrieve({ drivingLicenceNumber: 'smith 711215 js9ab' })

  expect(body.endorsements).toEqual([
    {
      offenceCode: 'SP30',
      offenceLegalLiteral: 'Exceeding statutory speed limit on a public road',
      sentenceDate: '2023-01-01',
      disqualification: { disqualifiedPendingSentence: true },
      disqualifiedPendingSentence: true,
    },
    {
      offenceCode: 'SP30',
      offenceLegalLiteral: 'Exceeding statutory speed limit on a public road',
      sentenceDate: '2020-01-01',
      penaltyPoints: 3,
    },
  ])
})

test('200: each of many concurrent enquiries gets its own driver', async () => {
  const numbers = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0 ? number : index % 3 === 1 ? 'SMITH711215JS9AB' : 'NOBOD610267JO9AA',
  )

  const answers = await Promise.all(
    numbers.map((drivingLicenceNumber) => enquiry.retrieve({ drivingLicenceNumber })),
  )

  expect(answers.map(({ body }) => body.driver?.drivingLicenceNumber)).toEqual(
    numbers.map((each) => (each.startsWith('NOBOD') ? undefined : each)),
  )
})

test('200: the header api-spec-version is 1.30.0', async () => {
  expect((await enquiry.retrieve()).headers['api-spec-version']).toBe('1.30.0')
})

test('every answer has a unique X-Service-Request-Id, which is logged', async () => {
  const answers = [
    await enquiry.retrieve(),
    await enquiry.retrieve({ drivingLicenceNumber: 'NOBOD610267JO9AA' }),
    await enquiry.post('{'),
    await enquiry.post({}, {}),
    await enquiry.post('x'.repeat(20_000)),
  ]
  const unknown = await enquiry.service.api.inject('/full-driver-enquiry/v1/nothing')

  const ids = [...answers, unknown].map(({ headers }) => headers['x-service-request-id'])
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 401, 413])
  expect(unknown.statusCode).toBe(404)
  expect(ids).toEqual(ids.map(() => expect.stringMatching(uuid)))
  expect(new Set(ids).size).toBe(ids.length)
  expect(enquiry.lines.join('')).toContain(String(ids[0]))
})

test('responses have exactly the headers of the OpenAPI document', async () => {
  const document = await enquiry.service.api.inject('/full-driver-enquiry/v1/openapi.json')
  const { responses } = document.json().paths[path].post
  const answers = [
    await enquiry.retrieve(),
    await enquiry.retrieve({ drivingLicenceNumber: 'NOBOD610267JO9AA' }),
    await enquiry.post('{'),
    await enquiry.post({}, {}),
    await enquiry.post('x'.repeat(20_000)),
  ]

  // The caller has no usage plan, so its responses have no rate limits.
  const isOurs = (name: string) => /^(x-|api-|retry-)/.test(name) && !headersOfTransfer.has(name)
  for (const { status, headers } of answers) {
    const promised = Object.keys(responses[status].headers).map((name) => name.toLowerCase())
    expect(Object.keys(headers).filter(isOurs).toSorted()).toEqual(
      promised.filter(isOurs).toSorted(),
    )
  }
  expect(Object.keys(responses['200'].headers)).toContain('api-spec-version')
  expect(Object.keys(responses['404'].headers)).toContain('X-Service-Request-Id')
})

test('404, code ENQ018: the licence number has no record', async () => {
  expect(await enquiry.retrieve({ drivingLicenceNumber: 'NOBOD610267JO9AA' })).toMatchObject(
    refusal(
      404,
      'ENQ018',
      'For the given drivingLicenceNumber field, no driver record could be found',
    ),
  )
})

const invalid = 'REQUEST_VALIDATION_ERROR'

test('400: names each option of a wrong type', async () => {
  const options = { includeCPC: 'true', includeTacho: 1 }

  expect(await enquiry.post({ drivingLicenceNumber: number, ...options })).toMatchObject(
    refusal(
      400,
      invalid,
      'Invalid format for field - includeCPC',
      'Invalid format for field - includeTacho',
    ),
  )
})

test('400: the body is not JSON', async () => {
  expect(await enquiry.post('{"drivingLicenceNumber":')).toMatchObject(
    refusal(400, invalid, 'Failed to parse request body'),
  )
})

test('400: the X-Enquiry-Purpose is invalid, and is not repeated', async () => {
  const answer = await enquiry.post(
    { drivingLicenceNumber: number },
    { ...enquiry.insurer.headers, 'x-enquiry-purpose': 'for Mörgan' },
  )

  expect(answer.status).toBe(400)
  expect(answer.body.errors).toEqual([
    { status: '400', code: invalid, detail: expect.stringContaining('X-Enquiry-Purpose') },
  ])
  expect(JSON.stringify(answer.body)).not.toContain('rgan')
})

test('200: unknown members are ignored', async () => {
  expect((await enquiry.retrieve({ includeImages: true, purpose: {} })).status).toBe(200)
})

test('413 and 415: the body is too large, or of another type', async () => {
  const large = { drivingLicenceNumber: number, more: 'x'.repeat(16 * 1024) }
  const headers = { ...enquiry.insurer.headers, 'content-type': 'text/plain' }

  expect(await enquiry.post(large)).toMatchObject(
    refusal(
      413,
      'PayloadTooLarge',
      'The request body is too large: at most 16384 bytes are accepted',
    ),
  )
  expect(await enquiry.post('{}', headers)).toMatchObject(
    refusal(415, 'UnsupportedMediaType', 'The Content-Type must be application/json'),
  )
})

test('429: the usage plan is exceeded', async () => {
  const { headers } = await enquiry.aConsumer({ usagePlan: 'one-a-day' })

  const first = await enquiry.post({ drivingLicenceNumber: number }, headers)
  const second = await enquiry.post({ drivingLicenceNumber: number }, headers)

  expect(first.status).toBe(200)
  expect(second).toMatchObject(
    refusal(429, 'TooManyRequests', 'Too many requests: the limit is 1 per day (UTC)'),
  )
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
})

test('429: the overall limit of the service is exceeded', async () => {
  const other = await aFullDriverEnquiry(database, { DESPATCH_OVERALL_REQUESTS_PER_SECOND: '1' })
  onTestFinished(() => other.close())

  const answers = await Promise.all(Array.from({ length: 10 }, () => other.retrieve()))

  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
})

test('500: a fault returns only its id, and no data', async () => {
  const broken = await aDriverDatabase()
  const other = await aFullDriverEnquiry(broken)
  onTestFinished(async () => {
    await other.close()
    await broken.close()
  })
  await broken.pool.query('alter table driver_record rename to elsewhere')

  const answer = await other.retrieve()

  expect(answer).toMatchObject(
    aProblem(500, {
      status: '500',
      code: 'InternalServerError',
      detail: expect.stringMatching(/^Unexpected error\. Error id: [\da-f-]{36}$/),
    }),
  )
  expect(JSON.stringify(answer.body)).not.toContain('driver_record')
})

test('an enquiry that cannot be audited returns no data', async () => {
  const broken = await aDriverDatabase()
  const other = await aFullDriverEnquiry(broken)
  onTestFinished(async () => {
    await other.close()
    await broken.close()
  })
  await broken.pool.query('alter table enquiry_audit rename to elsewhere')

  const answer = await other.retrieve()

  expect(answer.status).toBe(500)
  expect(answer.body).toEqual({ errors: [expect.objectContaining({ status: '500' })] })
})

test('each enquiry is audited with its caller, options, outcome and a hash of the number', async () => {
  const { consumerId, headers } = await enquiry.aConsumer()
  const asks = { ...headers, 'x-enquiry-purpose': 'claim 7' }
  const hash = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)

  await enquiry.post({ drivingLicenceNumber: 'morga 657054 sm9ij' }, asks)
  await enquiry.post(
    {
      drivingLicenceNumber: number,
      includeCPC: true,
      includeTacho: true,
      acceptPartialResponse: 'true',
    },
    headers,
  )
  await enquiry.post({ drivingLicenceNumber: number, includeCPC: true }, headers)
  await enquiry.post({ drivingLicenceNumber: 'NOBOD610267JO9AA' }, headers)
  await enquiry.post({ drivingLicenceNumber: 'X' }, headers)
  await enquiry.post('{', headers)

  const kept = { consumer_id: consumerId, purpose: null, results: null }
  const refused = { ...kept, outcome: 'refused', status: 400, number_hash: null, asked: [] }
  const rows = (await enquiry.enquiries()).filter((row) => row.consumer_id === consumerId)
  expect(rows).toEqual([
    {
      ...kept,
      outcome: 'found',
      status: 200,
      number_hash: hash(number),
      asked: [],
      purpose: 'claim 7',
    },
    {
      ...kept,
      outcome: 'partial',
      status: 200,
      number_hash: hash(number),
      asked: ['includeCPC', 'includeTacho', 'acceptPartialResponse=true'],
    },
    { ...kept, outcome: 'failed', status: 503, number_hash: hash(number), asked: ['includeCPC'] },
    {
      ...kept,
      outcome: 'not-found',
      status: 404,
      number_hash: hash('NOBOD610267JO9AA'),
      asked: [],
    },
    refused,
    refused,
  ])
})

test('is ready while it has its database, with or without its sources', async () => {
  const answer = await enquiry.service.api.inject('/health/ready')

  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({ status: 'ready', checks: [{ name: 'database', ok: true }] })
})

test('its OpenAPI document describes the operation', async () => {
  const { info, paths, components } = (
    await enquiry.service.api.inject('/full-driver-enquiry/v1/openapi.json')
  ).json()

  expect(info.version).toBe('1.30.0')
  expect(Object.keys(paths)).toEqual([path])
  const { requestBody, responses, security, parameters } = paths[path].post
  expect(security).toEqual([{ jwt: [], apiKey: [] }])
  expect(Object.keys(responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '405',
    '413',
    '415',
    '429',
    '500',
    '502',
    '503',
    '504',
  ])
  const reference = '#/components/schemas/RetrieveRequest'
  expect(requestBody.content['application/json'].schema).toEqual({ $ref: reference })
  const body = components.schemas.RetrieveRequest
  expect(body.required).toEqual(['drivingLicenceNumber'])
  expect(body.properties.acceptPartialResponse).toMatchObject({
    anyOf: [
      { type: 'boolean' },
      {
        type: 'string',
        enum: ['true', 'false', 'onConditionCPCAvailable', 'onConditionTachoAvailable'],
      },
    ],
    default: false,
  })
  const { RetrieveResponse, TachographHolder } = components.schemas
  expect(RetrieveResponse.properties.testPass.description).toContain('sibling of cpc')
  expect(TachographHolder.properties.tachoUnderPreviousDln.description).toContain(
    'sibling of tachoCards',
  )
  expect(parameters).toContainEqual({ $ref: '#/components/parameters/enquiryPurpose' })
  expect(components.parameters.enquiryPurpose.name).toBe('X-Enquiry-Purpose')
})
