import { aDatabase } from '@despatch/testing/a-database'
import { makePending } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expireLeases, offerLetters } from '@despatch/testing/take-letters'
import { describe, expect, test } from 'vitest'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { parkStep, postponeStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import {
  type BatchLease,
  endBatch,
  giveUpBatches,
  renewBatch,
  takeBatch,
} from '../src/work/batch-lease.ts'
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
  await pool.query('delete from work_waiting where print_job_key = any ($1)', [keys])
  return keys
}

/** A batch that a worker has taken, with its letters. */
async function aTakenBatch(keys: readonly string[]) {
  return (await takeBatch(db, await offerLetters(db, keys), leaseSeconds))!
}

const jobsOf = (keys: readonly string[]) =>
  db.selectFrom('print_job').selectAll().where('key', 'in', keys).orderBy('key').execute()
const batchOf = ({ id }: { id: string }) =>
  db.selectFrom('work_batch').selectAll().where('id', '=', id).executeTakeFirst()

describe('takeBatch', () => {
  test('leases all letters of the batch, and changes none of them', async () => {
    const keys = await someLetters(3)
    const before = await jobsOf(keys)

    const { lease, steps, wait } = await aTakenBatch(keys)

    expect(steps.map(({ key, epoch, starts }) => ({ key, epoch, starts }))).toEqual(
      expect.arrayContaining(keys.map((key) => ({ key, epoch: 0, starts: 1 }))),
    )
    expect(wait).toMatchObject({ lane: 'plain', isFirst: false })
    expect(await jobsOf(keys)).toEqual(before)
    expect(await batchOf(lease)).toMatchObject({ epoch: lease.epoch, letter_epochs: [0, 0, 0] })
  })

  test('gives the batch to only one of several workers with the same offer', async () => {
    const offer = await offerLetters(db, await someLetters(2))

    const taken = await Promise.all(
      Array.from({ length: 5 }, () => takeBatch(db, offer, leaseSeconds)),
    )

    const [mine, ...others] = taken.filter((one) => one !== undefined)
    expect(others).toEqual([])
    expect(await takeBatch(db, offer, leaseSeconds)).toBeUndefined()
    expect(await takeBatch(db, mine!.lease, leaseSeconds)).toBeUndefined()
  })

  test('gives nothing for a replaced offer, and the newer offer stays valid', async () => {
    const [key] = await someLetters(1)
    const { id, epoch } = await offerLetters(db, [key!])
    await pool.query('update work_batch set epoch = epoch + 1 where id = $1', [id])

    expect(await takeBatch(db, { id, epoch }, leaseSeconds)).toBeUndefined()
    expect(await takeBatch(db, { id, epoch: epoch + 1 }, leaseSeconds)).toMatchObject({
      steps: [{ key }],
    })
  })

  test('leaves out letters that have moved, were deleted, are parked or do not exist', async () => {
    const [fresh, pending, deleted, parked] = await someLetters(4)
    await makePending(db, { key: pending! }, { key: deleted! })
    await pool.query('update print_job set deleted_at = now() where key = $1', [deleted])
    await parkStep(db, { key: parked!, epoch: 0 }, 'TypeError')
    const absent = aSubmission(consumer).key

    const { steps } = await aTakenBatch([parked!, pending!, absent, deleted!, fresh!])

    expect(steps).toMatchObject([{ key: fresh }])
  })

  test('takes letters in QUARANTINE and letters in VALIDATING', async () => {
    const [released, fresh] = await someLetters(2)
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key: released! }], 'release', { actor: 'quarantine' }))

    const { steps } = await aTakenBatch([released!, fresh!])

    expect(new Map(steps.map(({ key, status }) => [key, status]))).toEqual(
      new Map([
        [released, 'VALIDATING'],
        [fresh, 'QUARANTINE'],
      ]),
    )
  })
})

describe('renewBatch', () => {
  test('renews the lease of the worker that has it, and no other', async () => {
    const { lease } = await aTakenBatch(await someLetters(2))
    await expireLeases(db)

    expect(await renewBatch(db, { ...lease, epoch: lease.epoch - 1 }, 600)).toBe(false)
    expect(await renewBatch(db, lease, 600)).toBe(true)
    const { leased_until } = (await batchOf(lease))!
    expect(leased_until!.getTime()).toBeGreaterThan(Date.now() + 500_000)

    await expireLeases(db)
    await giveUpBatches(db)
    expect(await renewBatch(db, lease, 600)).toBe(false)
  })

  test('leases no batch that is only offered', async () => {
    const offer = await offerLetters(db, await someLetters(1))

    expect(await renewBatch(db, offer, 600)).toBe(false)
    expect(await batchOf(offer)).toMatchObject({ leased_until: null })
  })
})

describe('endBatch', () => {
  const ended = async (lease: BatchLease) => {
    await endBatch(db, lease)
    return (await batchOf(lease)) === undefined
  }

  test('ends a batch whose letters all have an outcome or have moved on', async () => {
    const [postponed, pending] = await someLetters(2)
    const { lease, steps } = await aTakenBatch([postponed!, pending!])
    await postponeStep(db, steps.find(({ key }) => key === postponed)!, 30)
    await makePending(db, { key: pending! })

    expect(await ended(lease)).toBe(true)
  })

  test('keeps a batch of which one letter has no outcome, so that the letter waits again', async () => {
    const [postponed, lost] = await someLetters(2)
    const { lease, steps } = await aTakenBatch([postponed!, lost!])
    await postponeStep(db, steps.find(({ key }) => key === postponed)!, 30)

    expect(await ended(lease)).toBe(false)
    await expireLeases(db)
    expect(await giveUpBatches(db)).toBe(1)
    expect(await placesOf(database, lost!)).toEqual([{ place: 'waiting', lane: 'slow' }])
    expect(await placesOf(database, postponed!)).toMatchObject([{ place: 'later' }])
  })

  test('keeps a batch whose letter is released only: its worker goes on with it', async () => {
    const { lease, steps } = await aTakenBatch(await someLetters(1))
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, steps, 'release', { actor: 'quarantine' }))

    expect(await ended(lease)).toBe(false)
  })

  test('a worker that lost the batch does not end it for another', async () => {
    const { lease } = await aTakenBatch([])

    expect(await ended({ ...lease, epoch: lease.epoch - 1 })).toBe(false)
    expect(await ended(lease)).toBe(true)
  })
})

describe('giveUpBatches', () => {
  test('letters of a dead worker wait alone in their batches and count its death, each once', async () => {
    await clearWork(database)
    const [dead, alive] = await someLetters(2)
    const { lease, steps } = await aTakenBatch([dead!])
    await aTakenBatch([alive!])
    await expireLeases(db, dead)

    expect([await giveUpBatches(db), await giveUpBatches(db)]).toEqual([1, 0])

    expect(await placesOf(database, dead!)).toEqual([{ place: 'waiting', lane: 'slow' }])
    expect(await placesOf(database, alive!)).toEqual([])
    expect(await batchOf(lease)).toBeUndefined()
    expect(await jobsOf([dead!])).toMatchObject([{ step_epoch: 1, step_starts: 1 }])
    expect(await postponeStep(db, steps[0]!, 0)).toBe(false)
  })

  test('waits for two seconds after the lease, so that a last commit is not overtaken', async () => {
    await clearWork(database)
    const { lease } = await aTakenBatch(await someLetters(1))
    await pool.query('update work_batch set leased_until = now() - $1::interval where id = $2', [
      '1 second',
      lease.id,
    ])

    expect(await giveUpBatches(db)).toBe(0)
  })

  test('an offered batch is not given up, however old', async () => {
    await clearWork(database)
    const offer = await offerLetters(db, await someLetters(1))
    await pool.query("update work_batch set due_at = now() - interval '1 day'")

    expect(await giveUpBatches(db)).toBe(0)
    expect(await batchOf(offer)).toBeDefined()
  })

  test('concurrent sweeps wake each letter once', async () => {
    await clearWork(database)
    for (let batches = 0; batches < 3; batches++) await aTakenBatch(await someLetters(4))
    await expireLeases(db)

    const counts = await Promise.all([1, 2, 3].map(() => giveUpBatches(db)))

    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12)
    const { rows } = await pool.query(
      'select count(*) as rows, count(distinct print_job_key) as letters from work_waiting',
    )
    expect(rows).toEqual([{ rows: 12, letters: 12 }])
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

    expect(await giveUpBatches(db)).toBe(0)
  })
})
