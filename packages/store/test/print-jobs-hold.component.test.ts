import { randomUUID } from 'node:crypto'
import { insertProvider } from '@despatch/store/access/consumers'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { takeLetters } from '@despatch/testing/take-letters'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  holdOwnPrintJob,
  holdPrintJob,
  releaseOwnPrintJob,
  releasePrintJob,
} from '../src/print-job/hold.ts'
import { redrivePrintJob } from '../src/print-job/redrive.ts'
import { parkStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { gatherPrintRuns } from '../src/print-run/gather.ts'
import { listWaitingGroups, lockReadyJobs } from '../src/print-run/waiting-groups.ts'
import { placesOf } from './some-work.ts'

const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
// Prevents the print jobs of one test from being in the run of the next.
beforeEach(() => runs.gather())

const by = { actor: 'operator', reason: 'wrong enclosure' }
const anHour = { runAgeMs: 3_600_000 }

const hold = (key: string) => runs.db.transaction().execute((tx) => holdPrintJob(tx, { key }, by))
const release = (key: string) =>
  runs.db.transaction().execute((tx) => releasePrintJob(tx, { key }, by))

/** Lists the print runs that contain the document of a print job. */
async function runsOf(key: string): Promise<string[]> {
  const { rows } = await runs.pool.query(
    `select batch_number from print_run_document where print_job_key = $1 and removed_at is null and voided_at is null`,
    [key],
  )
  return rows.map(({ batch_number }) => batch_number)
}

async function readJob(key: string) {
  const { rows } = await runs.pool.query(
    `select status, batch_number, held_by, hold_reason, held_at is not null as is_held from print_job where key = $1`,
    [key],
  )
  return rows[0]
}

async function notesOf(key: string) {
  const { rows } = await runs.pool.query(
    `select transition, status, actor, reason from print_job_event
     where print_job_key = $1 and transition not in ('submit', 'release', 'accept') order by sequence`,
    [key],
  )
  return rows
}

describe('holdPrintJob', () => {
  test.each(['OPEN', 'RELEASED'] as const)(
    'removes the document from a run that is %s, and keeps it out until the release',
    async (state) => {
      const { batchNumber, keys } =
        state === 'OPEN' ? await runs.anOpenRun(2) : await runs.aReleasedRun(2)
      const [key, other] = keys as [string, string]

      expect(await hold(key)).toMatchObject({ kind: 'done', printJob: { key } })
      await runs.gather(anHour)

      expect(await runsOf(key)).toEqual([])
      expect(await runsOf(other)).toEqual([batchNumber])
      expect(await readJob(key)).toEqual({
        status: 'PENDING',
        batch_number: null,
        held_by: 'operator',
        hold_reason: 'wrong enclosure',
        is_held: true,
      })

      expect(await release(key)).toMatchObject({ kind: 'done' })
      await runs.gather(anHour)

      const [gatheredInto, ...others] = await runsOf(key)
      expect(others).toEqual([])
      // a run that is still gathering takes the document back
      expect(gatheredInto === batchNumber).toBe(state === 'OPEN')
      expect(await readJob(key)).toMatchObject({ batch_number: gatheredInto, is_held: false })
      expect(await notesOf(key)).toEqual([
        { transition: 'hold', status: 'PENDING', ...by },
        { transition: 'release-hold', status: 'PENDING', ...by },
      ])
    },
  )

  test('the document of a held print job is found by an index', async () => {
    const { keys } = await runs.anOpenRun(1)

    const scans = await runs.db.transaction().execute(async (tx) => {
      const count = async () => {
        const { rows } = await sql<{ scans: number }>`
          select seq_scan as scans from pg_stat_xact_user_tables where relname = 'print_run_document'`.execute(
          tx,
        )
        return rows[0]!.scans
      }
      await sql`set local enable_seqscan = off`.execute(tx)
      const before = await count()
      await holdPrintJob(tx, { key: keys[0]! }, by)
      return (await count()) - before
    })

    expect(scans).toBe(0)
    expect(await runsOf(keys[0]!)).toEqual([])
  })

  test('a run that lost a document and regained it is claimed with that document once', async () => {
    const { batchNumber, keys } = await runs.anOpenRun(2)
    const [key] = keys as [string]
    await hold(key)
    await release(key)
    await runs.gather(anHour)
    await runs.gather()

    await runs.claim('north', batchNumber)

    const { rows } = await runs.pool.query(
      `select document_count, manifest_version from print_run where batch_number = $1`,
      [batchNumber],
    )
    expect(rows).toEqual([{ document_count: 2, manifest_version: 1 }])
    expect(await runs.statuses(keys)).toEqual([
      ['PRODUCTION', null],
      ['PRODUCTION', null],
    ])
  })

  test('a hold during a gathering pass removes the print job from its new run', async () => {
    const key = await aPendingJob()
    const { holding } = await runs.db.transaction().execute(async (tx) => {
      await gatherPrintRuns(tx, { ...anHour, documentsMax: 100, jobsMax: 100 })
      const held = hold(key)
      await eventually(isLockWaitedFor, { message: 'the hold waits for the pass' })
      return { holding: held }
    })

    expect(await holding).toMatchObject({ kind: 'done' })
    expect(await runsOf(key)).toEqual([])
    expect(await readJob(key)).toMatchObject({ batch_number: null, is_held: true })
  })

  test('a gathering pass skips a print job that is being held', async () => {
    const key = await aPendingJob()
    await runs.db.transaction().execute(async (tx) => {
      await holdPrintJob(tx, { key }, by)
      await runs.gather(anHour)
    })
    await runs.gather(anHour)

    expect(await runsOf(key)).toEqual([])
  })

  test('after concurrent holds and passes, held print jobs are in no run and all others in one', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, aPendingJob))
    const toHold = keys.slice(0, 6)

    await Promise.all([
      ...toHold.map(hold),
      ...Array.from({ length: 4 }, () => runs.gather(anHour)),
    ])
    await runs.gather(anHour)

    const counts = await Promise.all(keys.map(async (key) => (await runsOf(key)).length))
    expect(counts).toEqual(keys.map((key) => (toHold.includes(key) ? 0 : 1)))
  })

  test('a hold is refused once a provider has claimed the run', async () => {
    const { batchNumber, keys } = await runs.aClaimedRun()

    expect(await hold(keys[0]!)).toEqual({ kind: 'refused', whyNot: 'A provider has claimed it.' })
    expect(await runsOf(keys[0]!)).toEqual([batchNumber])
  })

  test('a concurrent hold and claim: the print job is either held or claimed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { batchNumber, keys } = await runs.aReleasedRun(2)
      const [key] = keys as [string]

      const [outcome] = await Promise.all([hold(key), runs.claim('north', batchNumber)])

      const { status } = await readJob(key)
      expect([outcome.kind, status]).toEqual(
        outcome.kind === 'done' ? ['done', 'PENDING'] : ['refused', 'PRODUCTION'],
      )
      expect(await runsOf(key)).toEqual(outcome.kind === 'done' ? [] : [batchNumber])
    }
  })

  test('a hold of an unknown print job returns absent', async () => {
    expect(await hold(randomUUID())).toEqual({ kind: 'absent' })
  })
})

describe('a hold by a consumer or contract', () => {
  test.each(['consumer', 'contract'] as const)(
    "by %s: the due date counts from the end of this hold, and a later operator's hold does not change it",
    async (heldBy) => {
      const key = await aPendingJob({ heldBy })
      const other = await aPendingJob()
      const endOf = async (of: string): Promise<Date | null> => {
        const query = 'select hold_ended_at as ended from print_job where key = $1'
        return (await runs.pool.query<{ ended: Date | null }>(query, [of])).rows[0]!.ended
      }
      expect(await endOf(key)).toBeNull()

      // the operator's hold replaces theirs
      await hold(key)
      const ended = await endOf(key)
      await release(key)
      await hold(other)
      await release(other)

      expect(ended).toEqual(expect.any(Date))
      expect([await endOf(key), await endOf(other)]).toEqual([ended, null])
      const released = await aPendingJob({ heldBy })
      await release(released)
      expect(await endOf(released)).toEqual(expect.any(Date))
    },
  )

  test.each(['consumer', 'contract'] as const)(
    'by %s: an operator replaces it with a reason, once',
    async (heldBy) => {
      const key = await aPendingJob({ heldBy })
      const since = 'select held_at from print_job where key = $1'
      const before = await runs.pool.query(since, [key])

      expect(await hold(key)).toMatchObject({ kind: 'done' })
      expect(await hold(key)).toEqual({ kind: 'refused', whyNot: 'An operator already holds it.' })

      expect(await readJob(key)).toMatchObject({
        held_by: 'operator',
        hold_reason: 'wrong enclosure',
        is_held: true,
      })
      expect((await runs.pool.query(since, [key])).rows).toEqual(before.rows)
      expect(await notesOf(key)).toEqual([{ transition: 'hold', status: 'PENDING', ...by }])
    },
  )

  test.each(['consumer', 'contract'] as const)(
    'by %s: an operator releases it with a reason',
    async (heldBy) => {
      const key = await aPendingJob({ heldBy })

      expect(await release(key)).toMatchObject({ kind: 'done' })

      expect(await readJob(key)).toMatchObject({ is_held: false, held_by: null })
      expect(await notesOf(key)).toEqual([{ transition: 'release-hold', status: 'PENDING', ...by }])
    },
  )
})

describe('holdOwnPrintJob', () => {
  test.each([
    ['consumer', 'It is already held.'],
    ['contract', 'It is already held.'],
    ['operator', 'An operator already holds it.'],
  ])('of a print job held by %s is refused: %s', async (heldBy, whyNot) => {
    const key = await aPendingJob()
    await runs.pool.query(`update print_job set held_at = now(), held_by = $2 where key = $1`, [
      key,
      heldBy,
    ])
    const { consumer_id: consumerId, id } = await runs.db
      .selectFrom('print_job')
      .select(['consumer_id', 'id'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow()

    const outcome = await runs.db
      .transaction()
      .execute((tx) => holdOwnPrintJob(tx, { consumerId, id }, 'to be read once more'))

    expect(outcome).toEqual({ kind: 'refused', whyNot })
    expect(await readJob(key)).toMatchObject({ held_by: heldBy, hold_reason: null })
  })
})

describe('releaseOwnPrintJob', () => {
  test('does not end the hold of an operator', async () => {
    const { keys, ids } = await runs.anOpenRun()
    await hold(keys[0]!)
    const { consumerId } = await runs.db
      .selectFrom('print_job')
      .select('consumer_id as consumerId')
      .where('key', '=', keys[0]!)
      .executeTakeFirstOrThrow()

    const outcome = await runs.db
      .transaction()
      .execute((tx) => releaseOwnPrintJob(tx, { consumerId, id: ids[0]! }))

    expect(outcome).toEqual({ kind: 'refused', whyNot: 'An operator holds it.' })
    expect(await readJob(keys[0]!)).toMatchObject({ is_held: true })
  })
})

describe('a print job with a first sending day', () => {
  test.each([
    ['not gathered before it', 60_000, 0],
    ['gathered once it has come', -1_000, 1],
  ])('%s', async (_name, aheadMs, count) => {
    const key = await aPendingJob({ notBefore: new Date(Date.now() + aheadMs) })

    await runs.gather(anHour)

    expect(await runsOf(key)).toHaveLength(count)
  })

  test('counts as accepted when its day begins, and misses earlier cut-offs', async () => {
    const notBefore = new Date('2999-01-31T00:00:00Z')
    const key = await aPendingJob({ notBefore })

    const jobs = await runs.db.transaction().execute(async (tx) => {
      const groups = await listWaitingGroups(tx, notBefore)
      const readings = groups.map((group) => ({ ...group, jobsMax: 10_000 }))
      return lockReadyJobs(tx, readings, { at: notBefore, jobsMax: 10_000 })
    })

    expect(jobs.find((job) => job.key === key)?.acceptedAt).toEqual(notBefore)
  })

  test('and a hold waits for both', async () => {
    const key = await aPendingJob({ notBefore: new Date(Date.now() - 1_000), heldBy: 'contract' })
    await runs.gather(anHour)
    expect(await runsOf(key)).toEqual([])

    await release(key)
    await runs.gather(anHour)

    expect(await runsOf(key)).toHaveLength(1)
  })
})

describe('redrivePrintJob', () => {
  test.each(['QUARANTINE', 'VALIDATING'] as const)(
    'a print job parked in %s runs its step again',
    async (status) => {
      const key = await aSavedJob()
      await runs.pool.query(`update print_job set status = $2, step_failures = 9 where key = $1`, [
        key,
        status,
      ])
      const [step] = await takeLetters(runs.db, [key])
      await parkStep(runs.db, step!, 'StorageDown')
      await runs.pool.query('delete from letter_waiting where subject = $1', [key])
      expect(await takeLetters(runs.db, [key])).toEqual([])

      const outcome = await runs.db.transaction().execute((tx) => redrivePrintJob(tx, { key }, by))

      expect(outcome).toMatchObject({ kind: 'done' })
      const { rows } = await runs.pool.query(
        `select parked_at, step_failures, step_failure, step_epoch from print_job where key = $1`,
        [key],
      )
      expect(rows).toEqual([
        {
          parked_at: null,
          step_failures: 0,
          step_failure: null,
          step_epoch: step!.epoch + 2,
        },
      ])
      expect(await placesOf(runs, key)).toEqual([
        { place: 'later', lane: 'plain', waitsFor: null, isDue: true },
      ])
      expect((await notesOf(key)).at(-1)).toEqual({ transition: 'redrive', status, ...by })
      expect(await takeLetters(runs.db, [key])).toMatchObject([{ key, starts: 1 }])
    },
  )

  test('a print job that is not parked is refused', async () => {
    const key = await aPendingJob()

    expect(await runs.db.transaction().execute((tx) => redrivePrintJob(tx, { key }, by))).toEqual({
      kind: 'refused',
      whyNot: 'It is not parked; it continues automatically.',
    })
  })
})

type Detail = Parameters<typeof aSubmission>[1]

async function aSavedJob(detail: Detail = {}): Promise<string> {
  const submission = aSubmission(runs.consumer, detail)
  await saveSubmissions(runs.pool, [submission])
  return submission.key
}

async function aPendingJob(detail: Detail = {}): Promise<string> {
  const key = await aSavedJob(detail)
  await runs.accept([key])
  return key
}

async function isLockWaitedFor(): Promise<boolean> {
  const { rows } = await runs.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}
