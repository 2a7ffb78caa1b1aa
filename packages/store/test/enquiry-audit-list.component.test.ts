import { randomUUID } from 'node:crypto'
import { type EnquiryPage, listEnquiries } from '@despatch/store/enquiry/enquiry-audit-list'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'

const [one, other] = [randomUUID(), randomUUID()]
const [car, driver] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

// The last two have the same time and differ by their ids.
const stored = [
  ['a', '2026-03-01T10:00:00Z', one, 'vehicle-enquiry', car, 'found', 200],
  ['b', '2026-03-02T10:00:00Z', other, 'vehicle-enquiry', car, 'not-found', 404],
  ['c', '2026-03-03T10:00:00Z', one, 'full-driver-enquiry', driver, 'partial', 200],
  ['d', '2026-03-04T10:00:00Z', one, 'full-driver-enquiry', driver, 'failed', 502],
  ['e', '2026-03-05T10:00:00Z', other, 'driver-find', null, 'found', 200],
  ['f', '2026-03-05T10:00:00Z', one, 'driver-find', null, 'refused', 400],
] as const

const database = await shared(aDatabase())
for (const [correlationId, at, consumerId, service, numberHash, outcome, status] of stored) {
  await database.db
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

const idsOf = async (page: Partial<EnquiryPage>) =>
  (await listEnquiries(database.db, { enquiriesMax: 10, ...page }))
    .map(({ correlationId }) => correlationId)
    .join('')

test.for<[page: Partial<EnquiryPage>, ids: string]>([
  [{}, 'fedcba'],
  [{ consumerId: one }, 'fdca'],
  [{ consumerId: randomUUID() }, ''],
  [{ service: 'driver-find' }, 'fe'],
  [{ outcome: 'failed' }, 'd'],
  [{ numberHash: car }, 'ba'],
  [{ numberHash: driver, outcome: 'partial' }, 'c'],
  [{ numberHash: Buffer.alloc(32, 3) }, ''],
  [{ from: new Date('2026-03-03T10:00:00Z') }, 'fedc'],
  [{ to: new Date('2026-03-03T10:00:00Z') }, 'ba'],
  [{ from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-04T00:00:00Z') }, 'cb'],
  [{ consumerId: other, service: 'vehicle-enquiry', outcome: 'not-found', numberHash: car }, 'b'],
  [{ enquiriesMax: 2 }, 'fe'],
])('%o gives %s, the newest first', async ([page, ids]) => {
  expect(await idsOf(page)).toBe(ids)
})

test('goes on where the page before ended, also between two of one moment', async () => {
  const pages: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await listEnquiries(database.db, { before, enquiriesMax: 1 })
    if (page.length === 0) break
    pages.push(page[0]!.correlationId)
    before = page[0]!.id
  }

  expect(pages.join('')).toBe('fedcba')
  expect(await idsOf({ before: '999999' })).toBe('')
})
