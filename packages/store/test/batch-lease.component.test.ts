import { aDatabase } from '@despatch/testing/a-database'
import { makePending } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expireLeases, offerLetters } from '@despatch/testing/take-letters'
import { beside } from '@despatch/testing/waits-or-ends'
import { endBatch, findExpired, giveUpBatches, takeBatch } from '@despatch/work/batch-lease'
import { describe, expect, test } from 'vitest'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { parkStep, postponeStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { clearWork, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumer = await insertConsumer(db)
const leaseSeconds = 60

/** Letters that are nowhere in the waiting work, in the order of their keys. */
async function someLetters(count: number): Promise<string[]> {
  const submissions = Array.from({ length: count }, () => aSubmission(consumer))
  await saveSubmissions(pool, submissions)
  const keys = submissions.map(({ key }) => key).toSorted()
  await pool.query('delete from letter_waiting where subject = any ($1)', [keys])
  return keys
}

/** A batch that a worker has taken, with its letters. */
async function aTakenBatch(keys: readonly string[]) {
  return (await takeBatch(db, letterKind, await offerLetters(db, keys), leaseSeconds))!
}

const jobsOf = (keys: readonly string[]) =>
  db.selectFrom('print_job').selectAll().where('key', 'in', keys).orderBy('key').execute()
const batchOf = ({ id }: { id: string }) =>
  db.selectFrom('letter_batch').selectAll().where('id', '=', id).executeTakeFirst()

describe('takeBatch', () => {
  test('leases all letters of the batch, and changes none of them', async () => {
    const keys = await someLetters(3)
    const before = await jobsOf(keys)

    const { lease, subjects: steps, wait } = await aTakenBatch(keys)

    expect(steps.map(({ key, epoch, starts }) => ({ key, epoch, starts }))).toEqual(
      expect.arrayContaining(keys.map((key) => ({ key, epoch: 0, starts: 1 }))),
    )
    expect(wait).toMatchObject({ lane: 'plain', isFirst: false })
    expect(await jobsOf(keys)).toEqual(before)
    expect(await batchOf(lease)).toMatchObject({ epoch: lease.epoch, versions: [0, 0, 0] })
  })

  test('leaves out letters that have moved, were deleted, are parked or do not exist', async () => {
    const [fresh, pending, deleted, parked] = await someLetters(4)
    await makePending(db, { key: pending! }, { key: deleted! })
    await pool.query('update print_job set deleted_at = now() where key = $1', [deleted])
    await parkStep(db, { key: parked!, epoch: 0 }, 'TypeError')
    const absent = aSubmission(consumer).key

    const { subjects: steps } = await aTakenBatch([parked!, pending!, absent, deleted!, fresh!])

    expect(steps).toMatchObject([{ key: fresh }])
  })

  test('takes letters in QUARANTINE and letters in VALIDATING', async () => {
    const [released, fresh] = await someLetters(2)
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key: released! }], 'release', { actor: 'quarantine' }))

    const { subjects: steps } = await aTakenBatch([released!, fresh!])

    expect(new Map(steps.map(({ key, status }) => [key, status]))).toEqual(
      new Map([
        [released, 'VALIDATING'],
        [fresh, 'QUARANTINE'],
      ]),
    )
  })
})

describe('endBatch', () => {
  const batches = () => db.selectFrom('letter_batch').select('id').orderBy('id').execute()

  test('ends the batch of this lease only', async () => {
    await clearWork(database)
    const [ended, other] = [
      await aTakenBatch(await someLetters(1)),
      await aTakenBatch(await someLetters(1)),
    ]
    expect(ended.lease.epoch).toBe(other.lease.epoch)

    await endBatch(db, letterKind, ended.lease)

    expect(await batches()).toEqual([{ id: other.lease.id }])
  })
})

describe('findExpired', () => {
  test('there is something to give up once a lease has expired, and not before', async () => {
    await clearWork(database)
    const isExpired = async () => (await findExpired(db, letterKind)).isExpired
    await offerLetters(db, await someLetters(1))
    await aTakenBatch(await someLetters(1))
    expect(await isExpired()).toBe(false)

    await expireLeases(db)

    expect(await isExpired()).toBe(true)
  })
})

describe('giveUpBatches', () => {
  test('a letter without an outcome waits again, and one with an outcome does not', async () => {
    await clearWork(database)
    const [postponed, lost, released] = await someLetters(3)
    const { subjects: steps } = await aTakenBatch([postponed!, lost!, released!])
    const stepOf = (key: string | undefined) => steps.find((step) => step.key === key)!
    await postponeStep(db, stepOf(postponed), 30)
    // its worker would go on with it
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [stepOf(released)], 'release', { actor: 'quarantine' }))
    await expireLeases(db)

    expect(await giveUpBatches(db, letterKind)).toBe(2)

    for (const key of [lost!, released!]) {
      expect(await placesOf(database, key)).toEqual([{ place: 'waiting', lane: 'slow' }])
    }
    expect(await placesOf(database, postponed!)).toMatchObject([{ place: 'later' }])
  })

  test('parked and deleted letters do not wait again', async () => {
    await clearWork(database)
    const [parked, cancelled] = await someLetters(2)
    await aTakenBatch([parked!, cancelled!])
    await pool.query('update print_job set parked_at = now() where key = $1', [parked])
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key: cancelled! }], 'reject', { actor: 'operator' }))
    await expireLeases(db)

    expect(await giveUpBatches(db, letterKind)).toBe(0)
  })

  test('a letter that is being parked does not wait again', async () => {
    await clearWork(database)
    const [key] = await someLetters(1)
    await aTakenBatch([key!])
    await expireLeases(db)
    const statement =
      'update print_job set parked_at = now(), step_epoch = step_epoch + 1 where key = $1'

    const { first, result } = await beside(pool, { statement, values: [key] }, () =>
      giveUpBatches(db, letterKind),
    )

    expect([first, result]).toEqual(['waits', 0])
    expect(await placesOf(database, key!)).toEqual([])
  })
})
