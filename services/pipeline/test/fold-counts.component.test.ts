import { randomUUID } from 'node:crypto'
import { answerMsBounds } from '@despatch/domain/callback/answer-time'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { holdOwnPrintJob, releaseOwnPrintJob } from '@despatch/store/print-job/hold'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { isTrue } from '@despatch/testing/is-true'
import { findWrongCounts } from '@despatch/testing/kept-counts'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { foldCounts, isAnyToFold } from '../src/upkeep/fold-counts.ts'

const database = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(database.url))
const { db, pool } = runs
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const changesMax = 1_000

async function countOf(what: string, state: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::bigint as count from current_count
    where what = ${what} and state = ${state}`.execute(db)
  return rows[0]!.count
}

async function changesLeft(): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from count_change) + (select count(*) from volume_change) as left`.execute(
    db,
  )
  return rows[0]!.left
}

async function submit(count: number) {
  const consumer = await insertConsumer(db)
  const callbacks = { callbackParams: {}, callbackOrigin: 'https://example.com' }
  const letters = Array.from({ length: count }, () => aSubmission(consumer, callbacks))
  await saveSubmissions(pool, letters)
  return letters
}

/** Letters that end in each way that a letter can end. */
async function liveALife(): Promise<void> {
  const [held, deleted, refused, pending] = await submit(4)
  const by = { actor: 'test' }
  await runs.accept([held!, deleted!, pending!].map(({ key }) => key))
  await db.transaction().execute((tx) => holdOwnPrintJob(tx, held!, undefined))
  await savePrintJobDeletion(db, deleted!.consumerId, deleted!.id)
  await db.transaction().execute((tx) => movePrintJobs(tx, [{ key: refused!.key }], 'reject', by))
  await db.transaction().execute((tx) => releaseOwnPrintJob(tx, held!))
  await pool.query('update print_job set purge_began_at = now() where key = $1', [deleted!.key])
  await purgeRows(db, [deleted!.key], { now: new Date() })
}

/** A run whose letters are despatched by one posting, except the last one. */
async function printLetters(): Promise<void> {
  const { batchNumber, documentIds } = await runs.anAcknowledgedRun(4)
  const outcome = await insertPosting(db, {
    providerId: 'north',
    postingKey: randomUUID(),
    requestHash: Buffer.alloc(32),
    printRuns: [{ batchNumber, documentIds: documentIds.slice(0, 3) }],
    carrier: 'Royal Mail',
    handoverAt: new Date(),
    details: [],
    despatchProperties: [],
  })
  if (outcome.kind !== 'posted') throw new Error(outcome.kind)
  const { postingId } = outcome.posting
  await saveConfirmation(db, { providerId: 'north', postingId })
}

test('the counts of letters are right at any moment, also while changes are added up', async () => {
  let isOver = false
  const foldOn = async () => {
    while (!isOver) await foldCounts(db, { changesMax: 3 })
  }
  const wrongMeanwhile: unknown[] = []
  const compareOn = async () => {
    while (!isOver) wrongMeanwhile.push(...(await findWrongCounts(db)))
  }
  const others = [foldOn(), foldOn(), compareOn()]

  await Promise.all([liveALife(), liveALife(), liveALife(), printLetters(), submit(30)]).finally(
    () => {
      isOver = true
    },
  )
  await Promise.all(others)

  expect(wrongMeanwhile).toEqual([])
  expect(await findWrongCounts(db)).toEqual([])
  expect(await countOf('print_job', 'REJECTED')).toBe(3)
  expect(await countOf('print_job', 'DESPATCHED')).toBe(3)
  expect(await countOf('print_job', 'QUARANTINE')).toBe(30)
  expect(await countOf('document', 'despatched')).toBe(3)
  const { rows } = await pool.query(
    `select sum(accepted)::integer as accepted, sum(rejected)::integer as rejected, sum(deleted)::integer as deleted,
       sum(letters)::integer as letters, sum(sheets)::integer as sheets, sum(pages)::integer as pages from current_volume`,
  )
  expect(rows).toEqual([{ accepted: 46, rejected: 3, deleted: 3, letters: 3, sheets: 3, pages: 6 }])
})

test('there is work after a change, and none once it is added', async () => {
  await runs.aClaimedRun(1)
  expect(await isTrue(db, isAnyToFold)).toBe(true)

  while ((await foldCounts(db, { changesMax })) === 'again');
  expect(await isTrue(db, isAnyToFold)).toBe(false)
})

test('a reassigned or removed document counts in its present place', async () => {
  const [claimed, released] = [await runs.aClaimedRun(3), await runs.aReleasedRun(2)] as const
  const outcome = await db.transaction().execute((tx) =>
    reassignDocuments(tx, {
      batchNumber: claimed.batchNumber,
      providerId: 'north',
      printLocation: 'NORTH',
      actor: 'test',
      reason: 'moved',
      nothingPrinted: true,
    }),
  )
  if (outcome.kind !== 'moved') throw new Error(outcome.kind)
  await savePrintJobDeletion(db, runs.consumer.consumerId, released.ids[0]!)

  const { rows } = await pool.query(
    `select subject, count::integer from current_count
     where what = 'document' and state = 'outstanding' and subject = any ($1) and count <> 0 order by count`,
    [[claimed.batchNumber, released.batchNumber, outcome.run.batchNumber]],
  )
  expect(rows).toEqual([
    { subject: released.batchNumber, count: 1 },
    { subject: outcome.run.batchNumber, count: outcome.run.documentCount },
  ])
  expect(await findWrongCounts(db)).toEqual([])
})

test('adding up changes is limited in each pass, and does not change the counts', async () => {
  await submit(3)
  await submit(2)
  const submitted = await countOf('print_job', 'QUARANTINE')

  expect(await foldCounts(db, { changesMax: 1 })).toBe('again')
  while ((await foldCounts(db, { changesMax })) === 'again');

  expect(await changesLeft()).toBe(0)
  expect(await countOf('print_job', 'QUARANTINE')).toBe(submitted)
  expect(await findWrongCounts(db)).toEqual([])
})

test('while one process adds up changes, another skips them without waiting', async () => {
  await submit(1)
  const before = await changesLeft()
  await db.transaction().execute(async (tx) => {
    expect(await foldCounts(tx, { changesMax: 1 })).toBe('again')

    expect(await foldCounts(db, { changesMax })).toBe('idle')
  })

  expect(await changesLeft()).toBe(before - 2)
})

test('submissions are counted for two hours', async () => {
  while ((await foldCounts(db, { changesMax })) === 'again');
  const [letter] = await submit(1)
  await pool.query(
    `insert into print_job_event (print_job_key, sequence, transition, status, actor, at)
     values ($1, 2, 'submit', 'QUARANTINE', 'test', '2026-01-01T00:00:09Z')`,
    [letter!.key],
  )
  expect(await countOf('submission', '2026-01-01T00:00:00Z')).toBe(1)

  await foldCounts(db, { changesMax })

  expect(await countOf('submission', '2026-01-01T00:00:00Z')).toBe(0)
})

async function oweCallback(origin: string): Promise<{ id: string; consumerId: string }> {
  const [letter] = await submit(1)
  const { rows } = await pool.query<{ id: string }>(
    `insert into callback (id, print_job_key, consumer_id, sequence, kind, status, body, origin, due_at)
     select gen_random_uuid(), key, consumer_id, 1, 'status', 'DESPATCHED', '{}', $2, now()
     from print_job where key = $1 returning id`,
    [letter!.key, origin],
  )
  return { id: rows[0]!.id, consumerId: letter!.consumerId }
}

type Tried = readonly [
  callback: string,
  outcome: string,
  status: number | null,
  ms: number,
  at: string,
]

async function tryCallbacks(attempts: readonly Tried[]): Promise<void> {
  await pool.query(
    `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
     select (row ->> 0)::uuid, number, (row ->> 4)::timestamptz, (row ->> 4)::timestamptz, (row ->> 3)::integer, row ->> 1,
       (row ->> 2)::integer
     from jsonb_array_elements($1) with ordinality as tried (row, number)`,
    [JSON.stringify(attempts)],
  )
}

test('attempts of callbacks are counted by outcome for 25 hours', async () => {
  const { id } = await oweCallback('https://a.example')
  const counted = async () =>
    (
      await pool.query(
        "select subject, state, count from current_count where what = 'attempt' order by state, subject",
      )
    ).rows.map(({ subject, state, count }) => `${count} ${subject} ${state}`)
  const [first, second] = ['2026-01-02T00:00:00Z', '2026-01-02T00:00:10Z']
  await tryCallbacks([
    [id, 'refused', null, 1, '2026-01-02T00:00:01Z'],
    [id, 'timeout', null, 1, '2026-01-02T00:00:09Z'],
    [id, 'delivered', null, 1, '2026-01-02T00:00:09Z'],
    [id, 'refused', null, 1, second],
  ])
  expect(await counted()).toEqual([
    ...[`1 delivered ${first}`, `2 failed ${first}`],
    `1 failed ${second}`,
  ])

  while ((await foldCounts(db, { changesMax })) === 'again');
  expect(await counted()).toEqual([])

  const dayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const { id: another } = await oweCallback('https://a.example')
  await tryCallbacks([[another, 'delivered', null, 1, dayAgo]])
  await foldCounts(db, { changesMax })
  expect(await counted()).toEqual([expect.stringContaining('1 delivered')])
})

test('attempts are counted by half hour, consumer and origin, and answer times by half hour, for 25 hours', async () => {
  const [a, b] = [await oweCallback('https://a.example'), await oweCallback('https://b.example')]
  const ofOrigin = (result: string, { consumerId }: typeof a, origin: string) =>
    `${result} ${consumerId} https://${origin}.example`
  const countedIn = async (state: string) =>
    (
      await pool.query(
        `select subject, count from current_count
         where what in ('attempt_of_origin', 'time_to_answer') and state = $1 order by what, subject collate "C"`,
        [state],
      )
    ).rows.map(({ subject, count }) => `${subject}: ${count}`)
  const [first, second] = ['2026-01-02T00:00:00Z', '2026-01-02T00:30:00Z']
  await tryCallbacks([
    [a.id, 'refused', 503, 0, first],
    [a.id, 'delivered', 204, 10, '2026-01-02T00:29:59Z'],
    [b.id, 'timeout', null, 15_002, '2026-01-02T00:10:00Z'],
    [b.id, 'connection_refused', null, 3, '2026-01-02T00:20:00Z'],
    [b.id, 'delivered', 204, 11, second],
    [randomUUID(), 'delivered', 204, 15, second],
  ])

  expect(await countedIn(first)).toEqual([
    `${ofOrigin('delivered', a, 'a')}: 1`,
    ...[`${ofOrigin('failed', a, 'a')}: 1`, `${ofOrigin('failed', b, 'b')}: 2`].sort(),
    ...['1: 1', '10: 1', '15000: 1'],
  ])
  expect(await countedIn(second)).toEqual([`${ofOrigin('delivered', b, 'b')}: 1`, '15: 2'])
  expect(await findWrongCounts(db)).toEqual([])

  while ((await foldCounts(db, { changesMax })) === 'again');
  expect([await countedIn(first), await countedIn(second)]).toEqual([[], []])

  const { rows } = await pool.query("select half_hour_of(now() - interval '24 hours') as day_ago")
  await tryCallbacks([[b.id, 'delivered', 204, 10, rows[0]!.day_ago]])
  await foldCounts(db, { changesMax })
  expect(await countedIn(rows[0]!.day_ago)).toContain(`${ofOrigin('delivered', b, 'b')}: 1`)
})

test('the buckets of answer times have the bounds of the domain', async () => {
  const { id: callbackId } = await oweCallback('https://a.example')
  const times = answerMsBounds.flatMap((bound) => [bound, bound + 1])

  await tryCallbacks(times.map((ms) => [callbackId, 'delivered', 204, ms, '2026-01-03T00:00:00Z']))

  const { rows } = await pool.query<{ bound: number; count: number }>(
    `select subject::integer as bound, count::integer from current_count
     where what = 'time_to_answer' and state = '2026-01-03T00:00:00Z' order by 1`,
  )
  const boundOf = (ms: number) =>
    answerMsBounds.find((bound) => ms <= bound) ?? answerMsBounds.at(-1)!
  expect(rows).toEqual(
    answerMsBounds.map((bound) => ({
      bound,
      count: times.filter((ms) => boundOf(ms) === bound).length,
    })),
  )
})
