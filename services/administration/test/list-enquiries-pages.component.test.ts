import { randomUUID } from 'node:crypto'
import { numberHasher } from '@despatch/access/enquiry-number'
import type { SearchEnquiriesRequest } from '@despatch/contracts/administration/enquiry'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const [one, other] = [randomUUID(), randomUUID()]
const [registrationNumber, drivingLicenceNumber] = ['AA19AAA', 'TESTR657220TT9AB']
const hashNumber = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)
const [car, driver] = [hashNumber(registrationNumber), hashNumber(drivingLicenceNumber)]

// The last two have the same time and differ by their ids.
const stored = [
  ['a', '2026-03-01T10:00:00Z', one, 'vehicle-enquiry', car, 'found', 200],
  ['b', '2026-03-02T10:00:00Z', other, 'vehicle-enquiry', car, 'not-found', 404],
  ['c', '2026-03-03T10:00:00Z', one, 'full-driver-enquiry', driver, 'partial', 200],
  ['d', '2026-03-04T10:00:00Z', one, 'full-driver-enquiry', driver, 'failed', 502],
  ['e', '2026-03-05T10:00:00Z', other, 'driver-find', null, 'found', 200],
  ['f', '2026-03-05T10:00:00Z', one, 'driver-find', null, 'refused', 400],
] as const

const administration = await shared(anAdministration())
for (const [correlationId, at, consumerId, service, numberHash, outcome, status] of stored) {
  await administration.db
    .insertInto('enquiry_audit')
    .values({
      at: new Date(at),
      consumer_id: consumerId,
      service,
      number_hash: numberHash,
      outcome,
      status,
      correlation_id: correlationId,
    })
    .execute()
}

async function search(body: SearchEnquiriesRequest): Promise<{ ids: string; next?: string }> {
  const answer = await administration.as('operator', 'POST', '/enquiries/search', body)
  const ids = answer.body.enquiries.map((listed: { correlationId: string }) => listed.correlationId)
  return { ids: ids.join(''), next: answer.body.nextCursor }
}

test.for<[body: SearchEnquiriesRequest, ids: string]>([
  [{}, 'fedcba'],
  [{ consumerId: randomUUID() }, ''],
  [{ drivingLicenceNumber, outcome: 'partial' }, 'c'],
  [{ from: '2026-03-03T10:00:00Z' }, 'fedc'],
  [{ to: '2026-03-03T10:00:00Z' }, 'ba'],
  [{ from: '2026-03-02T00:00:00Z', to: '2026-03-04T00:00:00Z' }, 'cb'],
  [
    { consumerId: other, service: 'vehicle-enquiry', outcome: 'not-found', registrationNumber },
    'b',
  ],
])('%o gives %s, the newest first', async ([body, ids]) => {
  expect((await search(body)).ids).toBe(ids)
})

test('continues where the previous page ended, also between two entries of the same time', async () => {
  const pages: string[] = []
  let cursor: string | undefined
  do {
    const { ids, next } = await search({ limit: 1, ...(cursor !== undefined && { cursor }) })
    pages.push(ids)
    cursor = next
  } while (cursor !== undefined)

  expect(pages).toEqual([...'fedcba', ''])
  expect((await search({ cursor: '999999' })).ids).toBe('')
})
