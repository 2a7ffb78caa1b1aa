import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { makePending } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { redriveSteps } from '../src/print-job/redrive.ts'
import {
  parkStep,
  pinFiles,
  postponeStep,
  renewSteps,
  retryStep,
  type TakenStep,
  takeBatch,
  takeSteps,
  uncountStart,
  wakeOverdueSteps,
} from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { transact } from '../src/transact.ts'
import { aFile, clearWork, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumer = await insertConsumer(db)

const leaseSeconds = 60
const take = async (key: string): Promise<TakenStep | undefined> =>
  (await takeSteps(db, [key], leaseSeconds))[0]

async function aPrintJob(detail: Parameters<typeof aSubmission>[1] = {}): Promise<string> {
  const submission = aSubmission(consumer, detail)
  await saveSubmissions(pool, [submission])
  return submission.key
}

/** A leased step of a letter that is nowhere in the waiting work, as of one that was taken from a batch. */
async function aTakenStep(detail?: Parameters<typeof aSubmission>[1]): Promise<TakenStep> {
  const key = await aPrintJob(detail)
  await pool.query('delete from work_waiting where print_job_key = $1', [key])
  return (await take(key))!
}

async function aBatchOf(...keys: string[]): Promise<{ id: string; epoch: number }> {
  await pool.query('delete from work_waiting where print_job_key = any ($1::uuid[])', [keys])
  return db
    .insertInto('work_batch')
    .values({
      lane: 'plain',
      queue: 'letters',
      is_first: false,
      due_at: new Date(),
      consumer_ids: [consumer.consumerId],
      print_job_keys: keys,
    })
    .returning(['id', 'epoch'])
    .executeTakeFirstOrThrow()
}

const read = (key: string) =>
  db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

const expire = (key: string) =>
  pool.query(
    `update print_job set lease_until = now() - interval '3 seconds', next_check_at = now() - interval '1 second'
     where key = $1`,
    [key],
  )

describe('takeBatch', () => {
  test('leases all letters of the batch at once, and counts their starts', async () => {
    const keys = [await aPrintJob(), await aPrintJob(), await aPrintJob()]

    const { steps } = await takeBatch(db, await aBatchOf(...keys), leaseSeconds)

    expect(steps.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    for (const { key, epoch } of steps) {
      const { step_epoch, step_starts, lease_until, next_check_at } = await read(key)
      expect([step_epoch, step_starts]).toEqual([epoch, 1])
      // The sweep looks only after the lease.
      expect(next_check_at!.getTime() - lease_until!.getTime()).toBe(2_000)
    }
  })

  test('removes the batch and its letters from the waiting work', async () => {
    const key = await aPrintJob()

    await takeBatch(db, await aBatchOf(key), leaseSeconds)

    expect(await placesOf(database, key)).toEqual([])
  })

  test('gives the letters to only one of several workers with the same batch', async () => {
    const [key, other] = [await aPrintJob(), await aPrintJob()]
    const batch = await aBatchOf(key, other)

    const taken = await Promise.all(
      Array.from({ length: 5 }, () => takeBatch(db, batch, leaseSeconds)),
    )
    const again = await takeBatch(db, batch, leaseSeconds)

    expect(taken.map(({ steps }) => steps.length).toSorted()).toEqual([0, 0, 0, 0, 2])
    expect(again).toEqual({ steps: [], wait: undefined })
    expect((await read(key)).step_starts).toBe(1)
  })

  test('gives no letters for a replaced offer, and the newer offer stays valid', async () => {
    const key = await aPrintJob()
    const { id, epoch } = await aBatchOf(key)
    await pool.query('update work_batch set epoch = epoch + 1 where id = $1', [id])

    expect(await takeBatch(db, { id, epoch }, leaseSeconds)).toEqual({ steps: [] })
    expect((await read(key)).step_starts).toBe(0)

    expect(await takeBatch(db, { id, epoch: epoch + 1 }, leaseSeconds)).toMatchObject({
      steps: [{ key }],
    })
  })

  test('leaves out letters that have moved, were deleted, are parked or are leased', async () => {
    const fresh = await aPrintJob()
    const pending = await aPrintJob()
    const deleted = await aPrintJob()
    await makePending(db, { key: pending }, { key: deleted })
    await pool.query('update print_job set deleted_at = now() where key = $1', [deleted])
    const parked = await aTakenStep()
    await parkStep(db, parked, 'TypeError')
    const leased = await aTakenStep()
    const keys = [leased.key, parked.key, pending, deleted, fresh]

    const { steps } = await takeBatch(db, await aBatchOf(...keys), leaseSeconds)

    expect(steps).toMatchObject([{ key: fresh }])
    expect((await read(leased.key)).step_epoch).toBe(leased.epoch)
  })

  test('takes letters in QUARANTINE and letters in VALIDATING', async () => {
    const [released, fresh] = [await aPrintJob(), await aPrintJob()]
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key: released }], 'release', { actor: 'quarantine' }))

    const { steps } = await takeBatch(db, await aBatchOf(released, fresh), leaseSeconds)

    expect(new Map(steps.map(({ key, status }) => [key, status]))).toEqual(
      new Map([
        [released, 'VALIDATING'],
        [fresh, 'QUARANTINE'],
      ]),
    )
  })
})

describe('a leased step', () => {
  test('returns its age by the clock of the database', async () => {
    const key = await aPrintJob()
    await pool.query(
      `update print_job set created_at = created_at - interval '2 hours' where key = $1`,
      [key],
    )

    expect((await take(key))!.ageMs / 3_600_000).toBeCloseTo(2, 1)
  })

  test('has the data for the stages, with the preflight terms of its contract', async () => {
    expect(await aTakenStep()).toMatchObject({
      starts: 1,
      failures: 0,
      production: 'letter',
      traceContext: null,
      files: [],
      ruleSet: 'standard-2026-11',
      addressPlacement: 'own-page',
      marks: true,
      strict: false,
      refusedRules: [],
    })
  })

  test('is leased again when its lease has expired, under a new epoch', async () => {
    const dead = await aTakenStep()
    await expire(dead.key)

    const next = await take(dead.key)

    expect(next).toMatchObject({ key: dead.key, starts: 2 })
    expect(next!.epoch).toBeGreaterThan(dead.epoch)
  })

  test('has the same document number with each lease', async () => {
    const first = await aTakenStep()
    const other = await aTakenStep()
    await expire(first.key)

    const second = await take(first.key)

    expect(first.documentId).toMatch(/^D1[0-9]{8}$/)
    expect(second!.documentId).toBe(first.documentId)
    expect(other.documentId).not.toBe(first.documentId)
  })
})

describe('renewSteps', () => {
  test('renews all leases of a worker in one statement, and returns those that it still has', async () => {
    const [kept, lost, ended] = [await aTakenStep(), await aTakenStep(), await aTakenStep()]
    await expire(kept.key)
    await expire(lost.key)
    const taker = await take(lost.key)
    await postponeStep(db, ended, 0)

    const renewed = await renewSteps(db, [kept, lost, ended], 600)

    expect(renewed).toEqual([kept.key])
    const until = (await read(kept.key)).lease_until!.getTime()
    expect(until).toBeGreaterThan(Date.now() + 500_000)
    expect((await read(lost.key)).lease_until!.getTime()).toBeLessThan(Date.now() + 100_000)
    expect((await read(ended.key)).lease_until).toBeNull()
    expect(await renewSteps(db, [taker!], leaseSeconds)).toEqual([lost.key])
  })

  test('keeps the lease of a letter that its worker has released', async () => {
    const step = await aTakenStep()
    await db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [step], 'release', { actor: 'quarantine' }))

    expect(await renewSteps(db, [step], leaseSeconds)).toEqual([step.key])
  })
})

describe('postponeStep', () => {
  test.each([
    { what: 'without files', files: [], lane: 'plain' },
    { what: 'with files', files: [aFile], lane: 'files' },
  ])(
    'a letter $what waits in its lane until its time, without counting a start or failure',
    async ({ files, lane }) => {
      const step = await aTakenStep({ files })

      expect(await postponeStep(db, step, 30)).toBe(true)

      expect(await placesOf(database, step.key)).toEqual([
        { place: 'later', lane, waitsFor: null, isDue: false },
      ])
      const { rows } = await pool.query(
        `select due_at between now() + interval '20 seconds' and now() + interval '30 seconds' as "isThen"
       from work_later where print_job_key = $1`,
        [step.key],
      )
      expect(rows).toEqual([{ isThen: true }])
      expect(await take(step.key)).toMatchObject({ epoch: step.epoch + 2, starts: 1, failures: 0 })
    },
  )

  test('a letter records the dependency that it waits for, and a later wait replaces an earlier', async () => {
    const step = await aTakenStep()
    await postponeStep(db, step, 150, { waitsFor: 'object-store' })
    const waits = { place: 'later', lane: 'plain', isDue: false }
    expect(await placesOf(database, step.key)).toEqual([{ ...waits, waitsFor: 'object-store' }])

    await postponeStep(db, (await take(step.key))!, 150)

    expect(await placesOf(database, step.key)).toEqual([{ ...waits, waitsFor: null }])
  })

  test('an interrupted step keeps its starts, and is then alone in its batch', async () => {
    const step = await aTakenStep()
    await postponeStep(db, step, 0, { keepsStarts: true })
    expect(await placesOf(database, step.key)).toMatchObject([{ place: 'later', lane: 'slow' }])
    expect(await take(step.key)).toMatchObject({ starts: 2 })
  })

  test('a wait subtracts its own start, but not starts of dead workers', async () => {
    let step = await aTakenStep()
    for (const round of [1, 2, 3]) {
      await expire(step.key)
      step = (await take(step.key))!
      expect(step.starts).toBe(round + 1)
      await postponeStep(db, step, 0)
      expect(await read(step.key)).toMatchObject({ step_starts: round })
      step = (await take(step.key))!
    }
  })

  test('a start is subtracted once its worker reports that it is alive, unless another worker has the step', async () => {
    const step = await aTakenStep()
    await expire(step.key)
    await wakeOverdueSteps(db, { stepsMax: 100 })

    await uncountStart(db, step)
    const next = await take(step.key)
    expect(next).toMatchObject({ starts: 1 })

    await uncountStart(db, step)
    await expire(step.key)
    expect(await take(step.key)).toMatchObject({ starts: 2 })
  })
})

describe('retryStep and parkStep', () => {
  test('a failed step is retried alone in its batch, and counts as a failure instead of a start', async () => {
    const step = await aTakenStep()

    expect(await retryStep(db, step, { seconds: 2, failure: 'TimeoutError' })).toBe(true)

    expect(await placesOf(database, step.key)).toEqual([
      { place: 'later', lane: 'slow', waitsFor: null, isDue: false },
    ])
    expect(await read(step.key)).toMatchObject({
      step_failure: 'TimeoutError',
      step_starts: 0,
      lease_until: null,
      next_check_at: null,
    })
    expect(await take(step.key)).toMatchObject({ starts: 1, failures: 1 })
  })

  test('a parked step keeps its status, and is not waiting or taken', async () => {
    const step = await aTakenStep()

    expect(await parkStep(db, step, 'TypeError')).toBe(true)

    expect(await take(step.key)).toBeUndefined()
    expect(await placesOf(database, step.key)).toEqual([])
    expect(await read(step.key)).toMatchObject({
      status: 'QUARANTINE',
      step_failure: 'TypeError',
      next_check_at: null,
    })
  })
})

test('a worker whose step was taken over writes nothing', async () => {
  const dead = await aTakenStep()
  await expire(dead.key)
  await take(dead.key)
  const before = await read(dead.key)

  expect(await postponeStep(db, dead, 1)).toBe(false)
  expect(await retryStep(db, dead, { seconds: 1, failure: 'Error' })).toBe(false)
  expect(await parkStep(db, dead, 'Error')).toBe(false)
  const moved = await db
    .transaction()
    .execute((tx) => movePrintJobs(tx, [dead], 'release', { actor: 'dead worker' }))
  expect(moved).toEqual([])
  expect(await read(dead.key)).toEqual(before)
  expect(await placesOf(database, dead.key)).toEqual([])
})

describe('pinFiles', () => {
  const upload = aFile
  const pins = [{ position: 0, sha256: 'ab'.repeat(32), bytes: 1, mediaType: 'application/pdf' }]
  const isPinned = async (key: string) => {
    const files = db
      .selectFrom('print_job_file')
      .select('pinned_at')
      .where('print_job_key', '=', key)
    return (await files.executeTakeFirstOrThrow()).pinned_at !== null
  }

  test('pins nothing for a worker whose step was taken over', async () => {
    const dead = await aTakenStep({ files: [upload] })
    await expire(dead.key)
    await take(dead.key)

    await pinFiles(db, dead, pins)

    expect(await isPinned(dead.key)).toBe(false)
  })

  test('another worker cannot take a step between its pins and its transition', async () => {
    const slow = await aTakenStep({ files: [upload] })
    await expire(slow.key)

    const { moved, taking } = await transact(db, async (tx) => {
      await pinFiles(tx, slow, pins)
      // wrapped, since it ends after this transaction
      const taking = [take(slow.key)]
      await eventually(
        async () => {
          const { rows } = await pool.query(
            `select from pg_stat_activity
             where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
          )
          return rows.length > 0
        },
        { message: 'the other worker waits for the step' },
      )
      return { moved: await movePrintJobs(tx, [slow], 'release', { actor: 'quarantine' }), taking }
    })

    expect(moved).toEqual([slow.key])
    expect(await isPinned(slow.key)).toBe(true)
    const taken = await taking[0]
    expect(taken === undefined || taken.status === 'VALIDATING').toBe(true)
  })
})

describe('wakeOverdueSteps', () => {
  const wake = (stepsMax = 100) => wakeOverdueSteps(db, { stepsMax })

  test('letters of a dead worker wait alone in their batches and keep their starts, each once', async () => {
    const [dead, alive, fresh] = [await aTakenStep(), await aTakenStep(), await aPrintJob()]
    await expire(dead.key)

    expect([await wake(), await wake()]).toEqual([1, 0])

    expect(await placesOf(database, dead.key)).toEqual([{ place: 'waiting', lane: 'slow' }])
    expect(await placesOf(database, alive.key)).toEqual([])
    expect(await placesOf(database, fresh)).toEqual([{ place: 'waiting', lane: 'plain' }])
    expect(await renewSteps(db, [dead], leaseSeconds)).toEqual([])
    expect(await postponeStep(db, dead, 0)).toBe(false)
    expect(await take(dead.key)).toMatchObject({ starts: 2 })
  })

  test('concurrent sweeps wake each letter once, the longest overdue first', async () => {
    await clearWork(database)
    const steps = await Promise.all(Array.from({ length: 6 }, () => aTakenStep()))
    for (const [index, { key }] of steps.entries()) {
      const seconds = index + 1
      await pool.query(
        `update print_job set next_check_at = now() - $2::integer * interval '1 second' where key = $1`,
        [key, seconds],
      )
    }

    expect(await wake(1)).toBe(1)
    expect(await placesOf(database, steps.at(-1)!.key)).toHaveLength(1)
    const counts = await Promise.all([wake(), wake(), wake()])

    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5)
    const { rows } = await pool.query(
      'select count(*) as rows, count(distinct print_job_key) as letters from work_waiting',
    )
    expect(rows).toEqual([{ rows: 6, letters: 6 }])
  })

  test('a parked letter is not woken', async () => {
    const step = await aTakenStep()
    await parkStep(db, step, 'TypeError')
    await pool.query(
      `update print_job set next_check_at = now() - interval '1 second' where key = $1`,
      [step.key],
    )

    expect(await wake()).toBe(0)
  })
})

describe('redriveSteps', () => {
  const by = { actor: 'operator', reason: 'storage is back' }
  const redrive = (keys: readonly string[], spreadSeconds?: number) =>
    db
      .transaction()
      .execute((tx) =>
        redriveSteps(tx, keys, by, spreadSeconds === undefined ? {} : { spreadSeconds }),
      )

  test('parked letters are due at once in their lanes, without past failures', async () => {
    const [plain, withFile] = [await aTakenStep(), await aTakenStep({ files: [aFile] })]
    for (const step of [plain, withFile]) {
      await pool.query('update print_job set step_failures = 9 where key = $1', [step.key])
      await parkStep(db, step, 'TypeError')
    }

    await redrive([plain.key, withFile.key])

    const due = { place: 'later', waitsFor: null, isDue: true }
    expect(await placesOf(database, plain.key)).toEqual([{ ...due, lane: 'plain' }])
    expect(await placesOf(database, withFile.key)).toEqual([{ ...due, lane: 'files' }])
    expect(await take(plain.key)).toMatchObject({ starts: 1, failures: 0 })
  })

  test('many letters become due spread over time, and a repetition replaces the first', async () => {
    const steps = await Promise.all(Array.from({ length: 20 }, () => aTakenStep()))
    for (const step of steps) await parkStep(db, step, 'TypeError')
    const keys = steps.map(({ key }) => key)

    await redrive(keys, 1_000)
    await redrive(keys, 1_000)

    const { rows } = await pool.query(
      `select count(*) as letters, count(distinct due_at) > 15 as "isSpread",
         max(due_at) < now() + interval '1001 seconds' as "isInTime"
       from work_later where print_job_key = any ($1::uuid[])`,
      [keys],
    )
    expect(rows).toEqual([{ letters: 20, isSpread: true, isInTime: true }])
  })
})
