import { randomUUID } from 'node:crypto'
import { numberHasher } from '@despatch/access/enquiry-number'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const [registrationNumber, drivingLicenceNumber] = ['AA19AAA', 'TESTR657220TT9AB']
const hashNumber = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)
const [car, driver] = [hashNumber(registrationNumber), hashNumber(drivingLicenceNumber)]

const administration = await shared(anAdministration())
const { consumer: one, provider: other } = administration.ids

// The last two have the same time and differ by their ids.
const stored = [
  ['a', '2026-03-01T10:00:00Z', one, 'vehicle-enquiry', car, 'found', 200],
  ['b', '2026-03-02T10:00:00Z', other, 'vehicle-enquiry', car, 'not-found', 404],
  ['c', '2026-03-03T10:00:00Z', one, 'full-driver-enquiry', driver, 'partial', 200],
  ['d', '2026-03-04T10:00:00Z', one, 'full-driver-enquiry', driver, 'failed', 502],
  ['e', '2026-03-05T10:00:00Z', other, 'driver-find', null, 'found', 200],
  ['f', '2026-03-05T10:00:00Z', one, 'driver-find', null, 'refused', 400],
] as const
const asked = { purpose: 'case 7', asked: ['includeCPC', 'acceptPartialResponse=true'] }
for (const [correlation_id, at, consumer_id, service, number_hash, outcome, status] of stored) {
  const enquiry = { correlation_id, consumer_id, service, number_hash, outcome, status }
  await administration.db
    .insertInto('enquiry_audit')
    .values({
      ...enquiry,
      at: new Date(at),
      ...(correlation_id === 'c' && asked),
      ...(correlation_id === 'e' && { results: 3 }),
    })
    .execute()
}

const search = (body: object) => administration.asOperator('POST', '/enquiries/search', body)

/** Returns the correlation ids of the enquiries on a page, and the cursor of the next. */
async function pageOf(body: object): Promise<{ ids: string; next?: string }> {
  const { enquiries, nextCursor } = (await search(body)).body
  const ids = enquiries.map(({ correlationId }: { correlationId: string }) => correlationId)
  return { ids: ids.join(''), next: nextCursor }
}

describe('200', () => {
  test('lists enquiries with their consumer, newest first, without numbers', async () => {
    const { status, body } = await search({})

    const referenceOf = (hash: Buffer) => hash.toString('hex').slice(0, 12)
    expect(status).toBe(200)
    expect(body.enquiries).toHaveLength(6)
    expect(body.enquiries.slice(1, 4)).toEqual([
      {
        id: expect.any(String),
        at: '2026-03-05T10:00:00.000Z',
        consumerId: other,
        userName: 'provider',
        service: 'driver-find',
        outcome: 'found',
        status: 200,
        correlationId: 'e',
        asked: [],
        results: 3,
      },
      expect.objectContaining({ correlationId: 'd', numberReference: referenceOf(driver) }),
      {
        id: expect.any(String),
        at: '2026-03-03T10:00:00.000Z',
        consumerId: one,
        userName: 'consumer',
        service: 'full-driver-enquiry',
        outcome: 'partial',
        status: 200,
        correlationId: 'c',
        ...asked,
        numberReference: referenceOf(driver),
      },
    ])
  })

  test.for<[search: object, ids: string]>([
    [{}, 'fedcba'],
    [{ registrationNumber: ' aa19 aaa ' }, 'ba'],
    [{ registrationNumber: 'AA19AAB' }, ''],
    [{ drivingLicenceNumber: 'testr 657220 tt9ab' }, 'dc'],
    [{ drivingLicenceNumber, outcome: 'partial' }, 'c'],
    [{ drivingLicenceNumber: 'AA19AAA', service: 'full-driver-enquiry' }, ''],
    [{ userName: 'consumer' }, 'fdca'],
    [{ userName: 'consumer', service: 'vehicle-enquiry' }, 'a'],
    [{ consumerId: other }, 'eb'],
    [{ consumerId: randomUUID() }, ''],
    [{ outcome: 'not-found' }, 'b'],
    [{ from: '2026-03-03T10:00:00Z' }, 'fedc'],
    [{ to: '2026-03-03T10:00:00Z' }, 'ba'],
    [{ from: '2026-03-02T00:00:00Z', to: '2026-03-04T00:00:00Z' }, 'cb'],
    [{ to: '2026-03-01T11:00:00+01:00' }, ''],
    [{ limit: 2 }, 'fe'],
  ])('%j finds %s, the newest first', async ([body, ids]) => {
    expect((await pageOf(body)).ids).toBe(ids)
  })

  test('continues where the previous page ended, also between two entries of the same time', async () => {
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const { ids, next } = await pageOf({ limit: 1, ...(cursor !== undefined && { cursor }) })
      pages.push(ids)
      cursor = next
    } while (cursor !== undefined)

    expect(pages).toEqual([...'fedcba', ''])
    expect((await pageOf({ cursor: '999999' })).ids).toBe('')
  })

  test('audits who listed enquiries and with which filters: names, never a number', async () => {
    await search({ drivingLicenceNumber, userName: 'consumer', limit: 1 })

    expect((await administration.audited('action=enquiries.searched'))[0]).toMatchObject({
      actor: administration.actorOf('operator'),
      detail: { filters: ['drivingLicenceNumber', 'userName'] },
    })
    expect(JSON.stringify(administration.lines)).not.toContain(drivingLicenceNumber)
  })
})

test.for<[field: string, body: object]>([
  ['registrationNumber', { registrationNumber: 'AA19-AAA' }],
  ['registrationNumber', { registrationNumber: 'AA19AAAAA' }],
  ['registrationNumber', { registrationNumber: 'AA19AAA', drivingLicenceNumber: 'A' }],
  ['userName', { userName: 'consumer', consumerId: one }],
])('400: %s of %j', async ([title, body]) => {
  expect(await search(body)).toMatchObject(aProblem(400, { title }))
})

test('404: an unknown user name', async () => {
  const detail = 'There is no consumer somebody'

  expect(await search({ userName: 'somebody' })).toMatchObject(
    aProblem(404, { code: 'ConsumerNotFound', detail }),
  )
})
