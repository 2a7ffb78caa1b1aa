import { numberHasher } from '@despatch/access/enquiry-number'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, onTestFinished, test } from 'vitest'
import { aDriver, aDriverDatabase, aFullDriverEnquiry } from './a-full-driver-enquiry.ts'

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
const enquiry = await shared(aFullDriverEnquiry(database))

test('200: returns driver, licence, entitlement, endorsements and token, and nothing that was not requested', async () => {
  const { status, body, headers } = await enquiry.retrieve()

  expect(status).toBe(200)
  expect(headers['api-spec-version']).toBe('1.30.0')
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

test('429: the overall limit of the service is exceeded', async () => {
  const other = await aFullDriverEnquiry(database, { DESPATCH_OVERALL_REQUESTS_PER_SECOND: '1' })
  onTestFinished(() => other.close())

  const answers = await Promise.all(Array.from({ length: 10 }, () => other.retrieve()))

  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
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
