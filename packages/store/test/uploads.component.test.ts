import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import {
  deleteUploads,
  explainUnusableUpload,
  findOversizedBytes,
  insertUpload,
  listExpiredUploads,
  listUnknownUploads,
  listUsableUploads,
  markOversized,
} from '../src/print-job/uploads.ts'

const database = await shared(aDatabase())
const consumer = await insertConsumer(database.db)

async function anUpload(): Promise<string> {
  const id = randomUUID()
  const { consumerId } = consumer
  await insertUpload(database.db, { id, consumerId, expiresInSeconds: 60, openMax: 100 })
  return id
}

async function use(uploadId: string): Promise<string> {
  const submission = aSubmission(consumer, {
    files: [{ fileId: 'scan', source: 'upload', uploadId }],
  })
  await saveSubmissions(database.pool, [submission])
  return submission.key
}

test('the limit counts the open uploads of the consumer only', async () => {
  const { db, pool } = database
  const owner = await insertConsumer(db)
  const open = (id: string, { consumerId } = owner, expiresInSeconds = 60) =>
    insertUpload(db, { id, consumerId, expiresInSeconds, openMax: 2 })
  const [used, last] = [randomUUID(), randomUUID()]
  await open(randomUUID(), consumer)
  await open(randomUUID(), consumer)
  await open(randomUUID(), owner, 0)
  await open(used)
  const files = [{ fileId: 'scan', source: 'upload' as const, uploadId: used }]
  await saveSubmissions(pool, [aSubmission(owner, { files })])

  expect(await open(randomUUID())).toBe('created')
  expect(await open(last)).toBe('created')
  expect(await open(last)).toBe('created')
  expect(await open(randomUUID())).toEqual({ retryAfterSeconds: expect.any(Number) })
  expect(await open(randomUUID(), owner, 0)).toEqual({ retryAfterSeconds: expect.any(Number) })
})

test('of a consumer only its own uploads are recorded as too large', async () => {
  const { db } = database
  const [own, other] = [await anUpload(), await anUpload()]
  const { consumerId } = consumer
  const stranger = await insertConsumer(db)
  const large = [{ id: own, bytes: 100_001 }]

  expect([...(await markOversized(db, large, { consumerId: stranger.consumerId }))]).toEqual([])
  expect(await findOversizedBytes(db, { id: own, consumerId })).toBeUndefined()
  expect([...(await markOversized(db, large, { consumerId }))]).toEqual([own])
  expect(await findOversizedBytes(db, { id: own, consumerId })).toBe(100_001)
  expect(await findOversizedBytes(db, { id: other, consumerId })).toBeUndefined()
})

test('of several uploads those are usable that are its own, unused, in time and small', async () => {
  const { db } = database
  const { consumerId } = consumer
  const [usable, used, large, expired, foreign] = [
    await anUpload(),
    await anUpload(),
    await anUpload(),
    randomUUID(),
    randomUUID(),
  ]
  const stranger = await insertConsumer(db)
  await use(used)
  await markOversized(db, [{ id: large, bytes: 100_001 }])
  await insertUpload(db, { id: expired, consumerId, expiresInSeconds: 0, openMax: 100 })
  await insertUpload(db, { id: foreign, ...stranger, expiresInSeconds: 60, openMax: 100 })

  const ids = [usable, used, large, expired, foreign]
  expect([...(await listUsableUploads(db, consumerId, ids))]).toEqual([usable])
  const reasons = await Promise.all(
    [...ids, randomUUID()].map((id) => explainUnusableUpload(db, { id, consumerId })),
  )
  expect(reasons).toEqual(['empty', 'used', 'oversized', 'expired', 'unknown', 'unknown'])
  expect(await listUnknownUploads(db, [usable, stranger.consumerId])).toEqual([stranger.consumerId])
})

test('expired uploads are deleted, except those that quarantine may still need', async () => {
  const [fresh, unused, wanted, pinned] = await Promise.all([
    anUpload(),
    anUpload(),
    anUpload(),
    anUpload(),
  ])
  await use(wanted)
  const key = await use(pinned)
  await database.db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [{ key }], 'release', { actor: 'quarantine' }))
  await database.db
    .updateTable('upload')
    .set({ expires_at: new Date(Date.now() - 2 * 3_600_000) })
    .where('id', 'in', [unused, wanted, pinned])
    .execute()

  const gone = await listExpiredUploads(database.db, 100)
  await deleteUploads(database.db, gone)

  expect(gone.toSorted()).toEqual([unused, pinned].toSorted())
  const left = await database.db
    .selectFrom('upload')
    .select('id')
    .where('id', 'in', [fresh, unused, wanted, pinned])
    .execute()
  expect(left.map(({ id }) => id).toSorted()).toEqual([fresh, wanted].toSorted())
})

test('a large upload that a print job uses meanwhile is left to quarantine', async () => {
  const { db, pool } = database
  const [taken, free, refused] = [await anUpload(), await anUpload(), await anUpload()]
  const key = await use(refused)
  await db.updateTable('print_job').set({ status: 'REJECTED' }).where('key', '=', key).execute()
  const blocked = (count: number) =>
    eventually(
      async () => {
        const { rows } = await pool.query(`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
        return rows.length === count
      },
      { message: `${count} wait for the upload` },
    )
  const first = await pool.connect()
  await first.query('begin')
  await first.query('select from upload where id = $1 for update', [taken])
  const using = use(taken)
  await blocked(1)
  const large = [taken, free, refused].map((id) => ({ id, bytes: 100_001 }))
  const marking = markOversized(db, large)
  await blocked(2)
  await first.query('commit')
  first.release()

  await using
  expect([...(await marking)].toSorted()).toEqual([free, refused].toSorted())
  expect([...(await markOversized(db, [{ id: taken, bytes: 100_001 }]))]).toEqual([])
})
