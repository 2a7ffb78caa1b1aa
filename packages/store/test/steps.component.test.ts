import { transact } from '@despatch/postgres/transact'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expireLeases, takeLetters } from '@despatch/testing/take-letters'
import { waitsOrEnds } from '@despatch/testing/waits-or-ends'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { describe, expect, test } from 'vitest'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { redriveSteps } from '../src/print-job/redrive.ts'
import {
  parkStep,
  pinFiles,
  postponeStep,
  retryStep,
  type TakenStep,
  uncountStart,
} from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { aFile, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumer = await insertConsumer(db)

const take = async (key: string): Promise<TakenStep | undefined> =>
  (await takeLetters(db, [key]))[0]

async function aPrintJob(detail: Parameters<typeof aSubmission>[1] = {}): Promise<string> {
  const submission = aSubmission(consumer, detail)
  await saveSubmissions(pool, [submission])
  return submission.key
}

/** A leased step of a letter that is nowhere in the waiting work, as of one that was taken from a batch. */
async function aTakenStep(detail?: Parameters<typeof aSubmission>[1]): Promise<TakenStep> {
  const key = await aPrintJob(detail)
  await pool.query('delete from letter_waiting where subject = $1', [key])
  return (await take(key))!
}

const read = (key: string) =>
  db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

/** The lease expires, the sweep gives the batch up, and another worker takes the letter. */
async function takeOver({ key }: TakenStep): Promise<TakenStep> {
  await expireLeases(db, key)
  await giveUpBatches(db, letterKind)
  await pool.query('delete from letter_waiting where subject = $1', [key])
  return (await take(key))!
}

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

  test('has the same document number with each lease', async () => {
    const first = await aTakenStep()
    const other = await aTakenStep()

    const second = await takeOver(first)

    expect(first.documentId).toMatch(/^D1[0-9]{8}$/)
    expect(second.documentId).toBe(first.documentId)
    expect(other.documentId).not.toBe(first.documentId)
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
       from letter_later where subject = $1`,
        [step.key],
      )
      expect(rows).toEqual([{ isThen: true }])
      expect(await take(step.key)).toMatchObject({ epoch: step.epoch + 1, starts: 1, failures: 0 })
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

  test('an interrupted step counts its start, and is then alone in its batch', async () => {
    const step = await aTakenStep()
    await postponeStep(db, step, 0, { countsStart: true })
    expect(await placesOf(database, step.key)).toMatchObject([{ place: 'later', lane: 'slow' }])
    expect(await take(step.key)).toMatchObject({ starts: 2 })
  })

  test('a wait counts no start, and starts of dead workers stay', async () => {
    let step = await aTakenStep()
    for (const round of [1, 2, 3]) {
      step = await takeOver(step)
      expect(step.starts).toBe(round + 1)
      await postponeStep(db, step, 0)
      expect(await read(step.key)).toMatchObject({ step_starts: round })
      step = (await take(step.key))!
    }
  })

  test('a start is subtracted once its worker reports that it is alive, and only its own', async () => {
    const step = await aTakenStep()
    await expireLeases(db, step.key)
    await giveUpBatches(db, letterKind)
    expect(await read(step.key)).toMatchObject({ step_starts: 1 })

    await uncountStart(db, step)
    expect(await read(step.key)).toMatchObject({ step_starts: 0 })
    await uncountStart(db, step)
    expect(await read(step.key)).toMatchObject({ step_starts: 0 })

    await takeOver((await take(step.key))!)
    await uncountStart(db, step)
    expect(await read(step.key)).toMatchObject({ step_starts: 1 })
  })
})

describe('retryStep and parkStep', () => {
  test('a failed step is retried alone in its batch, and counts as a failure instead of a start', async () => {
    const step = await aTakenStep()

    expect(await retryStep(db, step, { seconds: 2, failure: 'TimeoutError' })).toBe(true)

    expect(await retryStep(db, step, { seconds: 2, failure: 'Error' })).toBe(false)
    expect(await placesOf(database, step.key)).toEqual([
      { place: 'later', lane: 'slow', waitsFor: null, isDue: false },
    ])
    expect(await read(step.key)).toMatchObject({
      step_failure: 'TimeoutError',
      step_starts: 0,
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
    })
  })
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
    await takeOver(dead)

    await pinFiles(db, dead, pins)

    expect(await isPinned(dead.key)).toBe(false)
  })

  test('no sweep gives up a step between its pins and its transition', async () => {
    const slow = await aTakenStep({ files: [upload] })
    await expireLeases(db, slow.key)

    const { moved, sweeping } = await transact(db, async (tx) => {
      await pinFiles(tx, slow, pins)
      // wrapped, since it ends after this transaction
      const sweeping = [giveUpBatches(db, letterKind)]
      expect(await waitsOrEnds(pool, sweeping[0]!)).toBe('waits')
      const moved = await movePrintJobs(tx, [slow], 'release', { actor: 'quarantine' })
      return { moved, sweeping }
    })

    expect(moved).toEqual([slow.key])
    expect(await isPinned(slow.key)).toBe(true)
    // its worker died after the release, so it goes on from there
    expect(await sweeping[0]).toBe(1)
    expect(await take(slow.key)).toMatchObject({ status: 'VALIDATING', starts: 2 })
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
       from letter_later where subject = any ($1::uuid[])`,
      [keys],
    )
    expect(rows).toEqual([{ letters: 20, isSpread: true, isInTime: true }])
  })
})
