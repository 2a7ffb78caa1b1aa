import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { beside } from '@despatch/testing/waits-or-ends'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { insertUpload, markOversized } from '../src/print-job/uploads.ts'
import { aFile, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const consumer = await insertConsumer(database.db)

const save = (...submissions: Parameters<typeof saveSubmissions>[1]) =>
  saveSubmissions(database.pool, submissions)

async function anUpload(owner = consumer, expiresInSeconds = 60): Promise<string> {
  const id = randomUUID()
  await insertUpload(database.db, {
    id,
    consumerId: owner.consumerId,
    expiresInSeconds,
    openMax: 100,
  })
  return id
}

const withUpload = (uploadId: string, fileId = 'file') => ({
  files: [{ fileId, source: 'upload' as const, uploadId }],
})

test('saves the print job in QUARANTINE with its files, first event and place in the waiting work', async () => {
  const submission = aSubmission(consumer, {
    files: [aFile],
  })

  expect(await save(submission)).toEqual([{ kind: 'saved', id: submission.id }])

  const { db } = database
  const { key } = submission
  const job = await db
    .selectFrom('print_job')
    .select(['id', 'status', 'standard_params', 'event_sequence'])
    .where('key', '=', key)
    .executeTakeFirst()
  const files = await db
    .selectFrom('print_job_file')
    .select(['file_id', 'position', 'bytes', 'media_type', 'pinned_at'])
    .where('print_job_key', '=', key)
    .execute()
  const events = await db
    .selectFrom('print_job_event')
    .select(['sequence', 'transition', 'status', 'actor'])
    .where('print_job_key', '=', key)
    .execute()
  const places = await placesOf(database, key)
  expect({ job, files, events, places }).toEqual({
    job: {
      id: submission.id,
      status: 'QUARANTINE',
      standard_params: submission.standardParams,
      event_sequence: 1,
    },
    files: [{ file_id: 'scan', position: 0, bytes: 12, media_type: 'image/png', pinned_at: null }],
    events: [{ sequence: 1, transition: 'submit', status: 'QUARANTINE', actor: 'consumer' }],
    places: [{ place: 'waiting', lane: 'files' }],
  })
})

test('several submissions in one statement have their outcomes in the same order', async () => {
  const [taken] = [aSubmission(consumer)]
  await save(taken!)
  const fresh = aSubmission(consumer)
  const again = aSubmission(consumer, { id: taken!.id })
  const stranger = aSubmission({ ...consumer, apiKeyHash: '00'.repeat(32) })

  expect(await save(again, fresh, stranger)).toEqual([
    { kind: 'id-taken', sameContent: true },
    { kind: 'saved', id: fresh.id },
    { kind: 'not-authenticated' },
  ])
})

test('one of two submissions with the same id in one statement is saved, and the other is a conflict', async () => {
  const first = aSubmission(consumer)
  const second = aSubmission(consumer, { id: first.id })

  const outcomes = await save(first, second)

  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['id-taken', 'saved'])
})

describe('an id of a retired print job', () => {
  /** Retires a print job of the consumer; its two hashes are those of these ids. */
  const retire = (ofFirst: string, ofSecond = ofFirst) =>
    database.pool.query(
      'insert into retired_print_job values (retired_id_hash($1, $2, 1), retired_id_hash($1, $3, 2))',
      [consumer.consumerId, ofFirst, ofSecond],
    )

  test('is taken, for its consumer only, and holds up no other submission', async () => {
    const again = aSubmission(consumer)
    const fresh = aSubmission(consumer)
    const ofAnother = aSubmission(await insertConsumer(database.db), { id: again.id })
    await retire(again.id)

    expect(await save(again, fresh, ofAnother)).toEqual([
      { kind: 'id-taken', sameContent: null },
      { kind: 'saved', id: fresh.id },
      { kind: 'saved', id: again.id },
    ])
  })

  test('differs from an id that has one of its hashes', async () => {
    const [first, second] = [aSubmission(consumer), aSubmission(consumer)]
    await retire(first.id, second.id)

    expect(await save(first)).toEqual([{ kind: 'saved', id: first.id }])
    expect(await save(second)).toEqual([{ kind: 'saved', id: second.id }])
  })
})

test('another consumer may submit the same id', async () => {
  const other = await insertConsumer(database.db)
  const mine = aSubmission(consumer)

  await save(mine)

  expect(await save(aSubmission(other, { id: mine.id }))).toEqual([{ kind: 'saved', id: mine.id }])
})

test('reports whether the existing print job with the id has the same content', async () => {
  const first = aSubmission(consumer)
  await save(first)

  const different = aSubmission(consumer, { id: first.id, requestFingerprint: '11'.repeat(32) })

  expect(await save(different)).toEqual([{ kind: 'id-taken', sameContent: false }])
})

test('a deleted print job keeps its id', async () => {
  const first = aSubmission(consumer)
  const deletedAt = new Date('2026-11-20T10:00:00Z')
  await save(first)
  await database.db
    .updateTable('print_job')
    .set({ status: 'PENDING', document_sha256: Buffer.alloc(32), deleted_at: deletedAt })
    .where('key', '=', first.key)
    .execute()

  expect(await save(aSubmission(consumer, { id: first.id }))).toEqual([
    { kind: 'id-taken', sameContent: true, deletedAt },
  ])
})

describe('Idempotency-Key', () => {
  test('repeats the first answer for the same content', async () => {
    const idempotencyKey = randomUUID()
    const first = aSubmission(consumer, { idempotencyKey })
    await save(first)

    expect(await save(aSubmission(consumer, { idempotencyKey }))).toEqual([
      { kind: 'repeated', id: first.id },
    ])
  })

  test('is refused for different content', async () => {
    const idempotencyKey = randomUUID()
    await save(aSubmission(consumer, { idempotencyKey }))

    const different = aSubmission(consumer, { idempotencyKey, requestFingerprint: '22'.repeat(32) })

    expect(await save(different)).toEqual([{ kind: 'idempotency-key-reused' }])
  })
})

describe('uploads', () => {
  test('can be used by one print job only', async () => {
    const uploadId = await anUpload()
    const first = aSubmission(consumer, withUpload(uploadId))

    expect(await save(first)).toEqual([{ kind: 'saved', id: first.id }])
    expect(await save(aSubmission(consumer, withUpload(uploadId)))).toEqual([
      { kind: 'upload-not-found', uploadId },
    ])
  })

  test("that are unknown, expired or another consumer's are not found", async () => {
    const other = await insertConsumer(database.db)
    for (const uploadId of [randomUUID(), await anUpload(consumer, 0), await anUpload(other)]) {
      expect(await save(aSubmission(consumer, withUpload(uploadId)))).toEqual([
        { kind: 'upload-not-found', uploadId },
      ])
    }
  })

  test('that another print job is just taking are not taken too', async () => {
    const uploadId = await anUpload()
    const first = aSubmission(consumer)
    await save(first)
    const statement = 'update upload set print_job_key = $1 where id = $2'

    const saving = await beside(database.pool, { statement, values: [first.key, uploadId] }, () =>
      save(aSubmission(consumer, withUpload(uploadId))),
    )

    expect(saving).toEqual({ first: 'waits', result: [{ kind: 'upload-not-found', uploadId }] })
  })

  test('that were too large are not found', async () => {
    const uploadId = await anUpload()
    await markOversized(database.db, [{ id: uploadId, bytes: 1_000 }])

    expect(await save(aSubmission(consumer, withUpload(uploadId)))).toEqual([
      { kind: 'upload-not-found', uploadId },
    ])
  })

  test('are not used, and nothing is saved, when one of several is missing', async () => {
    const there = await anUpload()
    const missing = randomUUID()
    const files = [...withUpload(there, 'a').files, ...withUpload(missing, 'b').files]

    expect(await save(aSubmission(consumer, { files }))).toEqual([
      { kind: 'upload-not-found', uploadId: missing },
    ])
    expect(await save(aSubmission(consumer, withUpload(there)))).toEqual([
      { kind: 'saved', id: expect.any(String) },
    ])
  })

  test('may be missing when the submission of a saved print job is repeated', async () => {
    const uploadId = await anUpload()
    const first = aSubmission(consumer, withUpload(uploadId))
    await save(first)

    expect(await save(aSubmission(consumer, { ...withUpload(uploadId), id: first.id }))).toEqual([
      { kind: 'id-taken', sameContent: true },
    ])
  })

  test('are used by only one of several concurrent print jobs', async () => {
    const uploadId = await anUpload()
    const racers = Array.from({ length: 6 }, () => aSubmission(consumer, withUpload(uploadId)))

    const outcomes = await Promise.all(racers.map((racer) => save(racer)))

    expect(outcomes.flat().filter(({ kind }) => kind === 'saved')).toHaveLength(1)
    expect(outcomes.flat().filter(({ kind }) => kind === 'upload-not-found')).toHaveLength(5)
  })
})

describe('the API key', () => {
  const inDays = (days: number) => sql<string>`current_date + ${days}::integer`
  const set = (
    owner: { consumerId: string },
    values: { api_key_hash?: Buffer; api_key_expires_on?: RawBuilder<string>; disabled_at?: Date },
  ) => database.db.updateTable('consumer').set(values).where('id', '=', owner.consumerId).execute()

  test.each([
    ['was replaced', () => ({ api_key_hash: Buffer.from(randomUUID()) })],
    ['expired yesterday', () => ({ api_key_expires_on: inDays(-1) })],
    ['is that of a consumer who is locked out', () => ({ disabled_at: new Date() })],
  ])('saves nothing if it %s', async (_how, values) => {
    const owner = await insertConsumer(database.db)
    await set(owner, values())

    expect(await save(aSubmission(owner))).toEqual([{ kind: 'not-authenticated' }])
  })

  test('saves nothing for another consumer', async () => {
    const { apiKeyHash } = await insertConsumer(database.db)

    expect(await save(aSubmission({ ...consumer, apiKeyHash }))).toEqual([
      { kind: 'not-authenticated' },
    ])
  })

  test('is valid on its last day', async () => {
    const owner = await insertConsumer(database.db)
    await set(owner, { api_key_expires_on: inDays(0) })

    expect(await save(aSubmission(owner))).toMatchObject([{ kind: 'saved' }])
  })
})
