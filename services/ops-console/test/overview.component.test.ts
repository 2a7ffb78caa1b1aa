import { randomUUID } from 'node:crypto'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { type Lane, lanes, workQueues } from '@despatch/domain/work/lane'
import { aDatabase } from '@despatch/testing/a-database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { type Seeder, secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listDeadCallbacks, listFailingSteps } from '../src/figures/newest-failures.ts'
import { type Overview, readOverview } from '../src/figures/overview.ts'
import { countedMax } from '../src/figures/waiting-work.ts'

const { db } = await shared(aDatabase({ connectionsMax: 6 }))
let seed: Seeder

beforeEach(async () => {
  seed = await seeder(db)
})

afterEach(async () => {
  await sql`truncate print_job, callback, callback_attempt, letter_waiting, letter_later, letter_batch, print_run cascade`.execute(
    db,
  )
  await sql`delete from print_site`.execute(db)
  await sql`delete from provider`.execute(db)
})

/** The seeded print jobs have no events. */
async function readCounted(): Promise<Overview> {
  await correctCounts(db)
  return readOverview(db)
}

const document = { document_sha256: Buffer.alloc(32) }
const seconds = (about: number) => expect.closeTo(about, -1)

test('an empty system shows zeros and no ages', async () => {
  const { printJobs, parked, held, work, callbacks, printRuns, printing } = await readCounted()

  const none = { count: 0, oldestSeconds: null }
  expect(printJobs).toEqual(printJobStatuses.map((status) => ({ status, ...none })))
  expect([parked, held, printRuns]).toEqual([none, none, []])
  const empty = { letters: 0, consumers: 0, oldestSeconds: null }
  expect(work).toEqual({
    lanes: lanes.map((lane) => ({ lane, ...empty })),
    postponed: 0,
    offered: workQueues.map((queue) => ({ queue, batches: 0, letters: 0 })),
  })
  expect(callbacks).toEqual({ due: 0, lateSeconds: null, deadLastDay: 0 })
  expect(Object.values(printing)).toEqual(Array(7).fill({ ...none, oldestRun: null }))
})

test('counts what is under way by status, with how long the oldest has been there', async () => {
  await seed.printJob({ updated_at: secondsAgo(500) })
  await seed.printJob({ updated_at: secondsAgo(100) })
  await seed.printJob({ status: 'PENDING', ...document, updated_at: secondsAgo(3_600) })
  const deleted = { updated_at: secondsAgo(9_000), deleted_at: new Date() }
  await seed.printJob({ status: 'PENDING', ...document, ...deleted })
  await seed.printJob({ status: 'VALIDATING', parked_at: secondsAgo(1_000) })
  const heldSince = { held_at: secondsAgo(2_000), held_by: 'contract' }
  await seed.printJob({ status: 'QUARANTINE', updated_at: secondsAgo(5), ...heldSince })
  await seed.printJob({ status: 'REJECTED', ...heldSince })

  for (let i = 0; i < 2; i++) {
    await seed.printJob({ status: 'DESPATCHED', ...document, despatched_at: new Date() })
  }

  const { printJobs, parked, held } = await readCounted()

  expect(printJobs).toEqual([
    { status: 'QUARANTINE', count: 3, oldestSeconds: seconds(500) },
    { status: 'VALIDATING', count: 1, oldestSeconds: seconds(0) },
    { status: 'PENDING', count: 1, oldestSeconds: seconds(3_600) },
    { status: 'PRODUCTION', count: 0, oldestSeconds: null },
    { status: 'DESPATCHED', count: 2, oldestSeconds: null },
    { status: 'REJECTED', count: 1, oldestSeconds: null },
  ])
  expect(parked).toEqual({ count: 1, oldestSeconds: seconds(1_000) })
  expect(held).toEqual({ count: 1, oldestSeconds: seconds(2_000) })
})

test('counts the letters that wait by lane, with their consumers and the oldest', async () => {
  const [a, b] = [randomUUID(), randomUUID()]
  const wait = (lane: Lane, consumer_id: string, since: Date) =>
    db
      .insertInto('letter_waiting')
      .values({ lane, consumer_id, subject: randomUUID(), version: 0, since })
      .execute()
  await wait('plain', a, secondsAgo(40))
  await wait('plain', a, secondsAgo(20))
  await wait('plain', b, secondsAgo(300))
  await wait('slow', b, secondsAgo(90))
  await sql`
    insert into letter_waiting (lane, consumer_id, subject, version)
    select 'files', ${a}, gen_random_uuid(), 0 from generate_series(1, ${countedMax + 5}::integer)`.execute(
    db,
  )
  await sql`
    insert into letter_later (subject, version, lane, consumer_id, due_at)
    values (gen_random_uuid(), 0, 'plain', ${a}, now()), (gen_random_uuid(), 0, 'files', ${a}, now())`.execute(
    db,
  )
  await sql`
    insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, versions)
    values ('plain', 'letters', false, now(), array[${a}::uuid], array[gen_random_uuid(), gen_random_uuid()], '{0, 0}'),
      ('slow', 'letters', true, now(), array[${b}::uuid], array[gen_random_uuid()], '{0}')`.execute(
    db,
  )

  expect((await readCounted()).work).toEqual({
    lanes: [
      { lane: 'plain', letters: 3, consumers: 2, oldestSeconds: seconds(300) },
      { lane: 'files', letters: countedMax, consumers: 1, oldestSeconds: seconds(0) },
      { lane: 'slow', letters: 1, consumers: 1, oldestSeconds: seconds(90) },
    ],
    postponed: 2,
    offered: [
      { queue: 'letters', batches: 2, letters: 3 },
      { queue: 'slow', batches: 0, letters: 0 },
    ],
  })
})

test('counts due callbacks, and dead ones of the last day', async () => {
  const owed = { print_job_key: await seed.printJob() }
  await seed.callback({ ...owed, sequence: 1, due_at: secondsAgo(120) })
  await seed.callback({ ...owed, sequence: 2, due_at: secondsAgo(-600) })
  const dead = { ...owed, state: 'DEAD', end_reason: 'window-ended' } as const
  await seed.callback({ ...dead, sequence: 3, ended_at: secondsAgo(3_600) })
  await seed.callback({ ...dead, sequence: 4, ended_at: secondsAgo(90_000) })
  await seed.callback({ ...owed, sequence: 5, state: 'DELIVERED', ended_at: new Date() })

  const counted = { due: 2, lateSeconds: seconds(120), deadLastDay: 1 }
  expect((await readCounted()).callbacks).toEqual(counted)
})

test('a callback is not late while it is being sent, waits for its turn, or its origin is shut', async () => {
  const owed = { print_job_key: await seed.printJob(), due_at: secondsAgo(120) }
  await seed.underWay(await seed.callback({ ...owed, sequence: 1 }), secondsAgo(-60))
  await seed.callback({ ...owed, sequence: 2, state: 'WAITING', due_at: null })
  await seed.callback({ ...owed, sequence: 3, origin: 'https://shut.example' })
  await db
    .insertInto('callback_origin')
    .values({ origin: 'https://shut.example', breaker: 'open', breaker_until: secondsAgo(-9) })
    .execute()
  expect((await readCounted()).callbacks).toMatchObject({ due: 2, lateSeconds: null })

  await seed.callback({ ...owed, sequence: 4, due_at: secondsAgo(30) })
  await seed.callback({ ...owed, sequence: 5, origin: 'https://z.example', due_at: secondsAgo(60) })
  expect((await readCounted()).callbacks).toMatchObject({ due: 4, lateSeconds: seconds(60) })
})

const claimed = {
  claimed_at: secondsAgo(60),
  manifest_digest: Buffer.alloc(32),
  manifest_version: 1,
}

async function insertRun(batch_number: string, values: object): Promise<void> {
  await db
    .insertInto('provider')
    .values({ id: 'p', name: 'P' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('print_run')
    .values({
      batch_number,
      provider_id: 'p',
      print_location: 'L',
      despatch_method: 'FIRST',
      stationery: 'A4',
      plex: 'duplex',
      colour: true,
      state: 'OPEN',
      opened_at: secondsAgo(300),
      ...values,
    })
    .execute()
}

test('counts print runs that are not closed', async () => {
  await insertRun('R1', {})
  await insertRun('R2', { state: 'CLAIMED', ...claimed, document_count: 100 })
  const claimed_at = secondsAgo(90)
  await insertRun('R3', { state: 'CLAIMED', ...claimed, document_count: 50, claimed_at })
  await insertRun('R4', { state: 'CLOSED', ...claimed, closed_at: new Date() })
  await insertRun('R5', { state: 'VOIDED', ...claimed, voided_at: new Date() })

  expect((await readCounted()).printRuns).toEqual([
    { state: 'OPEN', count: 1, documents: 0, oldestSeconds: seconds(300) },
    { state: 'CLAIMED', count: 2, documents: 150, oldestSeconds: seconds(90) },
  ])
})

test('counts what the work of print providers waits for', async () => {
  const longAgo = { expected_despatch_on: '2026-01-02' }
  await insertRun('R1', longAgo)
  await insertRun('R2', { ...longAgo, state: 'RELEASED', released_at: secondsAgo(5) })
  await insertRun('R3', { expected_despatch_on: '2999-01-02', state: 'RELEASED' })
  await insertRun('R4', { ...longAgo, state: 'CLAIMED', ...claimed, lease_until: secondsAgo(70) })
  await insertRun('R5', { state: 'CLAIMED', ...claimed, lease_until: secondsAgo(-70) })
  const acknowledged = { ...claimed, acknowledged_at: secondsAgo(40), acknowledgement_hash: '' }
  await insertRun('R6', { state: 'REFUSED', ...acknowledged, refusal: 'no toner' })
  await insertRun('R7', { state: 'REFUSED', ...acknowledged })
  await insertRun('R8', { release_began_at: secondsAgo(60), release_failures: 3 })
  await insertRun('R9', { release_began_at: secondsAgo(60), release_failures: 2 })
  await insertRun('R10', { release_began_at: secondsAgo(700) })
  const pending = { status: 'PENDING' as const, ...document, updated_at: secondsAgo(200) }
  await sql`
    insert into print_site (provider_id, print_location, capabilities)
    values ('p', 'HALL', ${JSON.stringify({ ...unrestrictedCapabilities, despatchMethods: ['FIRST'] })})`.execute(
    db,
  )
  const key = await seed.printJob(pending)
  const first = JSON.stringify({ despatchMethod: 'FIRST' })
  await seed.printJob({ ...pending, standard_params: first, updated_at: secondsAgo(300) })
  await seed.printJob({ ...pending, deleted_at: new Date() })
  await seed.printJob({ ...pending, not_before: secondsAgo(-30) })
  const held = { held_at: new Date(), held_by: 'consumer' }
  await seed.printJob({ ...pending, ...held })
  await sql`
    insert into print_run_document (batch_number, document_id, print_job_key, sha256, bytes, pages, sheets)
    values ('R6', 'D1', ${key}, '', 1, 1, 1)`.execute(db)
  await insertRun('R11', { state: 'REFUSED', ...acknowledged, refusal: 'recalled since' })
  await sql`
    insert into print_run_document (batch_number, document_id, print_job_key, sha256, bytes, pages, sheets, outcome)
    values ('R11', 'D2', ${await seed.printJob()}, '', 1, 1, 1, 'RECALLED')`.execute(db)
  await sql`
    insert into reprint (batch_number, document_id, attempt, state, reason_code, requested_by, requested_at, decided_at)
    select 'R6', 'D1', attempt, state, 'JAM', (select id from consumer limit 1), ${secondsAgo(90)}, decided_at
    from (values (2, 'AUTHORISED', now()), (3, 'WAITING', null)) as row (attempt, state, decided_at)`.execute(
    db,
  )
  await sql`
    insert into recall_request (id, batch_number, provider_id, state, reason, requested_by, requested_at, answered_at)
    select gen_random_uuid(), 'R6', 'p', state, 'fee', 'test', ${secondsAgo(50)}, answered_at
    from (values ('OPEN', null), ('REJECTED', now())) as row (state, answered_at)`.execute(db)

  const { printing } = await readCounted()

  expect(printing).toEqual({
    overdue: {
      count: 2,
      oldestSeconds: expect.any(Number),
      oldestRun: expect.stringMatching(/^R[12]$/),
    },
    unreleased: { count: 2, oldestSeconds: seconds(700), oldestRun: 'R10' },
    unacknowledged: { count: 1, oldestSeconds: seconds(70), oldestRun: 'R4' },
    refused: { count: 1, oldestSeconds: seconds(40), oldestRun: 'R6' },
    reprints: { count: 1, oldestSeconds: seconds(90), oldestRun: 'R6' },
    unroutable: { count: 1, oldestSeconds: seconds(200), oldestRun: null },
    recalls: { count: 1, oldestSeconds: seconds(50), oldestRun: 'R6' },
  })
  const days = (printing.overdue.oldestSeconds ?? 0) / 86_400
  const since = (Date.now() - Date.parse('2026-01-03T00:00:00Z')) / 86_400_000
  expect(days).toBeCloseTo(since, 1)
})

test('lists failing steps, newest first, by id and class', async () => {
  const [parkedAt, failedAt] = [secondsAgo(100), secondsAgo(10)]
  await seed.printJob({ id: 'fine' })
  const parked = { step_failures: 8, step_failure: 'WorkerDied', parked_at: parkedAt }
  await seed.printJob({ id: 'parked', ...parked })
  const failing = { step_failures: 2, step_failure: 'TimeoutError', updated_at: failedAt }
  await seed.printJob({ id: 'failing', status: 'VALIDATING', ...failing })

  const [newer, older] = await listFailingSteps(db, 10)

  expect(newer).toEqual({
    printJobId: 'failing',
    status: 'VALIDATING',
    failure: 'TimeoutError',
    failures: 2,
    isParked: false,
    at: failedAt,
  })
  const known = { failure: 'WorkerDied', failures: 8, isParked: true, at: parkedAt }
  expect(older).toEqual({ printJobId: 'parked', status: 'QUARANTINE', ...known })
  expect(await listFailingSteps(db, 1)).toHaveLength(1)
})

test('lists dead callbacks with the outcome of the last attempt, and test messages, which belong to no print job', async () => {
  const print_job_key = await seed.printJob({ id: 'letter-1' })
  const at = secondsAgo(10)
  const dead = { state: 'DEAD', end_reason: 'window-ended', ended_at: at, attempts: 2 } as const
  const id = await seed.callback({ print_job_key, ...dead })
  const attempt = { callback_id: id, planned_at: at, started_at: at, duration_ms: 10 }
  await db
    .insertInto('callback_attempt')
    .values([
      { ...attempt, number: 1, outcome: 'unreached' },
      { ...attempt, number: 2, outcome: 'answered', http_status: 403 },
    ])
    .execute()
  const gone = { state: 'DEAD', end_reason: 'gone', ended_at: secondsAgo(20) } as const
  await seed.callback({ print_job_key: null, kind: 'test', ...gone })

  expect(await listDeadCallbacks(db, 10)).toMatchObject([
    {
      callbackId: id,
      kind: 'status',
      printJobId: 'letter-1',
      status: 'REJECTED',
      reason: 'window-ended',
      attempts: 2,
      outcome: 'answered',
      httpStatus: 403,
      at,
    },
    { kind: 'test', printJobId: null, status: null, reason: 'gone', outcome: null },
  ])
})
