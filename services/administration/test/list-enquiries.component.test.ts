import { numberHasher } from '@despatch/access/enquiry-number'
import { openDatabase } from '@despatch/store/database'
import { createEnquiryAudit, type Enquiry } from '@despatch/store/enquiry/enquiry-audit'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const hashNumber = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)
const registrationNumber = 'AA19AAA'
const drivingLicenceNumber = 'TESTR657220TT9AB'
const path = '/enquiries/search'

const administration = await shared(anAdministration())
const database = openDatabase(administration.url, { name: 'test', connectionsMax: 1 })
const audit = createEnquiryAudit(database.pool)
const { ids } = administration
for (const enquiry of enquiriesOf(ids.consumer, ids.provider)) await audit(enquiry)
await database.close()

function enquiriesOf(consumer: string, other: string): Enquiry[] {
  const vehicle = {
    service: 'vehicle-enquiry',
    numberHash: hashNumber(registrationNumber),
  } as const
  const driver = {
    service: 'full-driver-enquiry',
    numberHash: hashNumber(drivingLicenceNumber),
  } as const
  const plain = { consumerId: consumer, purpose: null, asked: [], results: null }
  return [
    { ...plain, ...vehicle, outcome: 'found', status: 200, correlationId: 'a' },
    {
      ...plain,
      ...driver,
      outcome: 'partial',
      status: 200,
      correlationId: 'b',
      purpose: 'case 7',
      asked: ['includeCPC', 'acceptPartialResponse=true'],
    },
    {
      ...plain,
      ...vehicle,
      consumerId: other,
      outcome: 'not-found',
      status: 404,
      correlationId: 'c',
    },
    {
      ...plain,
      service: 'driver-find',
      numberHash: null,
      outcome: 'found',
      status: 200,
      correlationId: 'd',
      asked: ['lastName', 'dateOfBirth'],
      results: 3,
    },
  ]
}

const search = (body: object) => administration.as('operator', 'POST', path, body)

type Listed = { correlationId: string; numberReference?: string }
async function found(body: object): Promise<string> {
  const answer = await search(body)
  return answer.body.enquiries.map(({ correlationId }: Listed) => correlationId).join('')
}

describe('200', () => {
  test('lists enquiries with their consumer, newest first, without numbers', async () => {
    const { ids } = administration

    const answer = await search({})

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      enquiries: [
        {
          id: expect.any(String),
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          consumerId: ids.consumer,
          userName: 'consumer',
          service: 'driver-find',
          outcome: 'found',
          status: 200,
          correlationId: 'd',
          asked: ['lastName', 'dateOfBirth'],
          results: 3,
        },
        {
          id: expect.any(String),
          at: expect.any(String),
          consumerId: ids.provider,
          userName: 'provider',
          service: 'vehicle-enquiry',
          outcome: 'not-found',
          status: 404,
          correlationId: 'c',
          asked: [],
          numberReference: hashNumber(registrationNumber).toString('hex').slice(0, 12),
        },
        {
          id: expect.any(String),
          at: expect.any(String),
          consumerId: ids.consumer,
          userName: 'consumer',
          service: 'full-driver-enquiry',
          outcome: 'partial',
          status: 200,
          correlationId: 'b',
          purpose: 'case 7',
          asked: ['includeCPC', 'acceptPartialResponse=true'],
          numberReference: hashNumber(drivingLicenceNumber).toString('hex').slice(0, 12),
        },
        expect.objectContaining({ correlationId: 'a', outcome: 'found' }),
      ],
    })
  })

  test.for<[search: object, ids: string]>([
    [{ registrationNumber: 'AA19AAA' }, 'ca'],
    [{ registrationNumber: ' aa19 aaa ' }, 'ca'],
    [{ registrationNumber: 'AA19AAB' }, ''],
    [{ drivingLicenceNumber: 'TESTR657220TT9AB' }, 'b'],
    [{ drivingLicenceNumber: 'testr 657220 tt9ab' }, 'b'],
    [{ drivingLicenceNumber: 'AA19AAA', service: 'full-driver-enquiry' }, ''],
    [{ userName: 'consumer' }, 'dba'],
    [{ userName: 'consumer', service: 'vehicle-enquiry' }, 'a'],
    [{ outcome: 'not-found' }, 'c'],
    [{ from: '2020-01-01T00:00:00Z' }, 'dcba'],
    [{ to: '2020-01-01T00:00:00+01:00' }, ''],
    [{ limit: 2 }, 'dc'],
  ])('filters enquiries: %j', async ([body, ids]) => {
    expect(await found(body)).toBe(ids)
  })

  test('filters by consumer id', async () => {
    expect(await found({ consumerId: administration.ids.provider })).toBe('c')
  })

  test('lists enquiries page by page', async () => {
    const pages: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { body } = await search({ limit: 3, ...(cursor && { cursor }) })
      pages.push(body.enquiries.map(({ correlationId }: Listed) => correlationId).join(''))
      if (!body.nextCursor) break
      cursor = body.nextCursor
    }

    expect(pages).toEqual(['dcb', 'a'])
  })

  test('audits who listed enquiries and with which filters: names, never a number', async () => {
    await search({ drivingLicenceNumber, userName: 'consumer', limit: 1 })

    const { body } = await administration.asAdmin('GET', '/audit-events?limit=1')

    expect(body.auditEvents).toMatchObject([
      {
        actorUserName: 'operator',
        action: 'enquiries.searched',
        detail: { filters: ['drivingLicenceNumber', 'userName'] },
      },
    ])
    expect(JSON.stringify(administration.lines)).not.toContain(drivingLicenceNumber)
  })
})

test.for<[field: string, body: object]>([
  ['registrationNumber', { registrationNumber: 'AA19-AAA' }],
  ['registrationNumber', { registrationNumber: 'AA19AAAAA' }],
  ['registrationNumber', { registrationNumber: 'AA19AAA', drivingLicenceNumber: 'A' }],
  ['userName', { userName: 'consumer', consumerId: '00000000-0000-4000-8000-000000000000' }],
])('400: %s of %j', async ([field, body]) => {
  const answer = await search(body)

  expect(answer).toMatchObject(aProblem(400, { status: '400 BAD_REQUEST', title: field }))
  expect(answer.body.errors).toHaveLength(1)
})

test('404: an unknown user name', async () => {
  expect(await search({ userName: 'somebody' })).toMatchObject(
    refusal(
      '404 NOT_FOUND',
      'ConsumerNotFound',
      'There is no consumer somebody',
      'No such consumer',
    ),
  )
})
