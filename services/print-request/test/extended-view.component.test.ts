import { addDays, londonDateOf, londonInstant } from '@despatch/domain/calendar/london'
import {
  type Capabilities,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveAddressOverride } from '@despatch/store/print-job/override-address'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { aPrintRequest, aRequest } from './a-print-request.ts'

const everyMidnight: Capabilities = {
  ...unrestrictedCapabilities,
  calendar: {
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    bankHolidays: 'none',
    closedOn: [],
    cutOff: '00:00',
    productionDays: 2,
    classes: [],
  },
}

const service = await shared(aPrintRequest())
const consumer = await service.aCaller()
const { db } = service.database
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
await db
  .updateTable('print_site')
  .set({ capabilities: JSON.stringify(everyMidnight) })
  .execute()
// Keeps the documents of one test out of the print run of the next.
beforeEach(async () => {
  await service.database.pool.query(`update print_run set release_asked_at = now()`)
  await build()
})

const aPendingJob = () => service.aPendingJob(consumer)

async function build(): Promise<void> {
  const limits = { runAgeMs: 0, documentsMax: 100, jobsMax: 100 }
  while ((await gatherAndRelease(db, limits)).isMore);
}

function move(key: string, transition: 'produce' | 'reject') {
  return db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [{ key }], transition, { actor: 'test' }))
}

async function readDates(id: string) {
  const { status, body } = await consumer.call({ path: `jobs/${id}?view=extended` })
  const { expectedDespatchDate, cancellableUntil } = body as Record<string, string>
  return { status, expectedDespatchDate, cancellableUntil }
}

const tomorrow = addDays(londonDateOf(new Date()), 1)
const despatchDate = addDays(tomorrow, 2)
const midnight = londonInstant(tomorrow, '00:00').toISOString()
const closed = { status: 200, expectedDespatchDate: despatchDate, cancellableUntil: undefined }
const nothing = { status: 200, expectedDespatchDate: undefined, cancellableUntil: undefined }

describe('GET /print/jobs/{jobId}?view=extended', () => {
  test('200: has the despatch date and the cut-off while the print job is in an open run, unlike the plain view', async () => {
    const { id } = await aPendingJob()
    expect(await readDates(id)).toEqual(nothing)
    await build()

    const plain = await consumer.call({ path: `jobs/${id}` })
    const extended = await consumer.call({ path: `jobs/${id}?view=extended` })

    expect(extended.body).toEqual({
      ...(plain.body as object),
      expectedDespatchDate: despatchDate,
      cancellableUntil: midnight,
    })
    expect(Object.keys(plain.body)).not.toContain('expectedDespatchDate')
  })

  test('200: has no cancellableUntil once the release of the run was requested', async () => {
    const { id } = await aPendingJob()
    await build()

    await service.database.pool.query(
      `update print_run set release_asked_at = now() where state = 'OPEN'`,
    )
    expect(await readDates(id)).toEqual(closed)
    await build()
    expect(await readDates(id)).toEqual(closed)
  })

  test('200: keeps the despatch date in production, and has none after a rejection', async () => {
    const { id, key } = await aPendingJob()
    await build()

    await move(key, 'produce')
    expect(await readDates(id)).toEqual(closed)
    await move(key, 'reject')
    expect(await readDates(id)).toEqual(nothing)
  })

  test('200: has the time of an address correction; the submitted address stays, and the timeline omits it', async () => {
    const { id, key } = await aPendingJob()
    const hold = `update print_job set held_at = now(), held_by = 'operator' where key = $1`
    await service.database.pool.query(hold, [key])
    const address = { unstructuredAddress: { line1: '2 Quarry Lane', postcode: 'ZE1 0AA' } }
    const printableAddress = {
      line1: '2 Quarry Lane',
      postcode: 'ZE1 0AA',
      dps: null,
      recipientLine1: 'Ms B',
      recipientLine2: '',
    }
    const override = {
      addressee: { recipientName: 'Ms B', address },
      made: {
        printableAddress,
        documentSha256: 'cd'.repeat(32),
        documentBytes: 100,
        documentPages: 1,
        documentSheets: 1,
      },
      producedAs: 'SECOND' as const,
      findings: [],
      replacesSha256: 'ab'.repeat(32),
      comment: null,
    }
    const by = { actor: 'operator', reason: 'asked for' }
    await db.transaction().execute((tx) => saveAddressOverride(tx, { key }, override, by))

    const plain = await consumer.call({ path: `jobs/${id}` })
    const extended = await consumer.call({ path: `jobs/${id}?view=extended` })
    const timeline = await consumer.call({ path: `jobs/${id}/events` })

    expect(extended.body).toEqual({
      ...(plain.body as object),
      heldSince: expect.stringMatching(/Z$/),
      addressOverriddenDate: expect.stringMatching(/Z$/),
    })
    expect(plain.body).toMatchObject({
      standardParams: aRequest().standardParams,
      printableAddress,
    })
    expect(Object.keys(plain.body)).not.toContain('addressOverriddenDate')
    expect((timeline.body as { events: object[] }).events.at(-1)).toMatchObject({
      transition: 'override-address',
      status: 'PENDING',
      ...by,
    })
    expect(JSON.stringify(timeline.body)).not.toMatch(/Quarry|Ms B|ZE1/)
  })
})
