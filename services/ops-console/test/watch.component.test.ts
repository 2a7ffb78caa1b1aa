import { randomUUID } from 'node:crypto'
import { countViolations } from '@despatch/store/overview/invariants'
import { aDatabase } from '@despatch/testing/a-database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { type Seeder, secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readReconciliationFigures, readStuckFacts } from '../src/figures/read-watch.ts'

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
  await sql`update contract set callback_order = 'print-job'`.execute(db)
})

const none = Object.fromEntries(
  [
    ...['event-sequence', 'callback-sequence', 'live-documents', 'unended-callbacks'],
    ...['held-in-run', 'unwatched-steps', 'kept-counts'],
  ].map((check) => [check, 0]),
)
const pending = { status: 'PENDING' as const, document_sha256: Buffer.alloc(32) }

/** The seeded print jobs lack the events of their statuses. */
async function findViolations() {
  await correctCounts(db)
  return countViolations(db)
}

async function event(print_job_key: string, sequence: number): Promise<void> {
  await db
    .insertInto('print_job_event')
    .values({ print_job_key, sequence, transition: 'submit', status: 'QUARANTINE', actor: 'test' })
    .execute()
}

/** A print job with its first event. */
async function aPrintJob(values: Parameters<Seeder['printJob']>[0] = {}): Promise<string> {
  const key = await seed.printJob(values)
  await event(key, 1)
  return key
}

const inProduction = { ...pending, status: 'PRODUCTION' as const }

/** A print run of one document with the given account. */
async function aRun({
  key,
  state = 'CLAIMED',
  account = {},
  expectedDespatchOn = '2026-11-20',
}: {
  key: string
  state?: 'OPEN' | 'RELEASED' | 'CLAIMED' | 'VOIDED'
  account?: { outcome?: 'REFUSED' | 'FAILED'; removed_at?: Date }
  expectedDespatchOn?: string
}): Promise<void> {
  const batchNumber = randomUUID()
  const isClaimed = state !== 'OPEN' && state !== 'RELEASED'
  await db
    .insertInto('provider')
    .values({ id: 'printer', name: 'Printer' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('print_run')
    .values({
      batch_number: batchNumber,
      provider_id: 'printer',
      print_location: 'north',
      despatch_method: 'SECOND',
      stationery: 'A4-PLAIN',
      plex: 'duplex',
      colour: true,
      state,
      cut_off_at: secondsAgo(900),
      expected_despatch_on: expectedDespatchOn,
      released_at: state === 'OPEN' ? null : secondsAgo(600),
      ...(isClaimed && {
        claimed_at: secondsAgo(500),
        manifest_version: 1,
        manifest_digest: Buffer.alloc(32),
      }),
      ...(state === 'VOIDED' && { voided_at: secondsAgo(5), void_reason: 'moved' }),
    })
    .execute()
  await db
    .insertInto('print_run_document')
    .values({
      batch_number: batchNumber,
      document_id: randomUUID(),
      print_job_key: key,
      sha256: Buffer.alloc(32),
      bytes: 1,
      pages: 1,
      sheets: 1,
      ...(isClaimed && { sequence: 1, fulfilment_job_id: 'job-1' }),
      ...(state === 'VOIDED' && { voided_at: secondsAgo(5) }),
      ...account,
    })
    .execute()
}

test('correct data violate no invariant', async () => {
  const key = await aPrintJob({ event_sequence: 2, callback_sequence: 1 })
  await event(key, 2)
  await seed.callback({ print_job_key: key, sequence: 1 })
  await aPrintJob({ ...pending, held_at: new Date(), held_by: 'consumer' })

  expect(await findViolations()).toEqual(none)
})

test('finds events and callbacks that are missing in the middle or at the end', async () => {
  await event(await aPrintJob({ event_sequence: 3, callback_sequence: 1 }), 3)

  const found = { 'event-sequence': 1, 'callback-sequence': 1 }
  expect(await findViolations()).toEqual({ ...none, ...found })
})

test('looks at the print jobs of the last day alone', async () => {
  await seed.printJob({ event_sequence: 3, created_at: secondsAgo(90_000) })

  expect(await findViolations()).toEqual(none)
})

test('looks at the newest print jobs of a day with too many', async () => {
  const key = await seed.printJob({ event_sequence: 0 })
  await sql`
    insert into print_job select other.* from print_job job cross join generate_series(1, 5000) number
    cross join jsonb_populate_record(job, jsonb_build_object('key', lpad(number::text, 32, '0'), 'id', number)) other
    where job.key = ${key}`.execute(db)
  const newest = { key: 'ffffffff-ffff-7fff-bfff-ffffffffffff', id: 'newest' }
  await seed.printJob({ ...newest, event_sequence: 3 })

  expect(await findViolations()).toEqual({ ...none, 'event-sequence': 1 })
})

test('finds a print job in PRODUCTION whose document is in no print run', async () => {
  await aPrintJob(inProduction)
  await aRun({ key: await aPrintJob(inProduction) })

  expect(await findViolations()).toEqual({ ...none, 'live-documents': 1 })
})

test('finds a print job that is printed twice, even without the index that prevents it', async () => {
  const key = await aPrintJob(inProduction)
  await sql`drop index print_run_document_one_live`.execute(db)
  await aRun({ key })
  await aRun({ key })

  expect(await findViolations()).toEqual({ ...none, 'live-documents': 1 })

  await sql`truncate print_run cascade`.execute(db)
  await sql`create unique index print_run_document_one_live on print_run_document (print_job_key)
    where removed_at is null and voided_at is null`.execute(db)
})

test('finds callbacks leased by a dead process, and lanes without a next callback', async () => {
  const key = await aPrintJob({ callback_sequence: 3 })
  for (const [sequence, leasedUntil] of [secondsAgo(700), secondsAgo(30)].entries()) {
    await seed.underWay(await seed.callback({ print_job_key: key, sequence }), leasedUntil)
  }
  await sql`update contract set callback_order = 'strict' where id = ${seed.contractId}`.execute(db)
  const waiting = { state: 'WAITING', strict_contract_id: seed.contractId } as const
  const since = { created_at: secondsAgo(700) }
  await seed.callback({ print_job_key: key, sequence: 3, ...waiting, ...since })

  expect(await findViolations()).toEqual({ ...none, 'unended-callbacks': 2 })
})

test('finds a held print job in a print run, and letters without a lease or a place in the work', async () => {
  const held = await aPrintJob({ ...pending, held_at: new Date(), held_by: 'operator' })
  await aRun({ key: held, state: 'OPEN' })
  const untouched = { updated_at: secondsAgo(700) }
  await aPrintJob(untouched)
  await aPrintJob({})
  await aPrintJob({ ...untouched, parked_at: new Date() })
  const place = { lane: 'plain', consumer_id: randomUUID(), version: 0 } as const
  const waiting = { ...place, subject: await aPrintJob(untouched), since: new Date() }
  await db.insertInto('letter_waiting').values(waiting).execute()
  const later = { ...place, subject: await aPrintJob(untouched), due_at: secondsAgo(-60) }
  await db.insertInto('letter_later').values(later).execute()
  await sql`
    insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
    values
      ('plain', 'letters', false, now(), '{}', array[${await aPrintJob(untouched)}::uuid], null, '{0}'),
      ('plain', 'letters', false, now(), '{}', array[${await aPrintJob(untouched)}::uuid], now(), '{0}')`.execute(
    db,
  )

  expect(await findViolations()).toEqual({ ...none, 'held-in-run': 1, 'unwatched-steps': 1 })
})

test('finds kept counts of print jobs and callbacks that are wrong', async () => {
  const key = await aPrintJob({ callback_sequence: 1 })
  await seed.callback({ print_job_key: key, sequence: 1 })
  expect(await findViolations()).toEqual(none)

  await sql`
    insert into count_change (what, subject, state, count)
    values ('print_job', ${seed.contractId}, 'VALIDATING', 1), ('callback', ${seed.consumerId}, 'DUE', -1)`.execute(
    db,
  )

  expect(await countViolations(db)).toEqual({ ...none, 'kept-counts': 2 })
})

test('an empty system has nothing stuck', async () => {
  expect(await readStuckFacts(db)).toEqual({
    facts: { quarantineSince: null, validatingSince: null, routingSince: null, runs: [] },
    sites: [],
  })
})

test('returns the oldest, without those that are parked, held or wait for their day', async () => {
  const oldest = secondsAgo(400)
  await seed.printJob({ updated_at: secondsAgo(500), parked_at: new Date() })
  await seed.printJob({ updated_at: oldest })
  await seed.printJob({ status: 'VALIDATING', updated_at: oldest })
  const longPending = { ...pending, updated_at: secondsAgo(900) }
  await seed.printJob({ ...longPending, held_at: new Date(), held_by: 'consumer' })
  await seed.printJob({ ...longPending, not_before: secondsAgo(-900) })
  await seed.printJob({ ...longPending, not_before: oldest })

  const { facts } = await readStuckFacts(db)

  expect(facts).toEqual({
    quarantineSince: oldest,
    validatingSince: oldest,
    routingSince: oldest,
    runs: [],
  })
})

test('returns the print runs with unfinished letters, with the working times of their site', async () => {
  const capabilities = { maintenance: [], despatchMethods: ['SECOND'] }
  await aRun({ key: await seed.printJob(inProduction) })
  await aRun({ key: await seed.printJob(inProduction), account: { outcome: 'FAILED' } })
  await aRun({ key: await seed.printJob(pending), state: 'VOIDED' })
  const released = { state: 'RELEASED', expectedDespatchOn: '2026-11-19' } as const
  await aRun({ key: await seed.printJob(pending), ...released })
  const site = { provider_id: 'printer', capabilities: JSON.stringify(capabilities) }
  await db
    .insertInto('print_site')
    .values([
      { ...site, print_location: 'north' },
      { ...site, print_location: 'south', enabled: false },
    ])
    .execute()

  const { facts, sites } = await readStuckFacts(db)

  const run = { despatchMethod: 'SECOND', site: capabilities, cutOffAt: expect.any(Date) }
  expect(facts.runs.toSorted((one, other) => one.stage.localeCompare(other.stage))).toEqual([
    { ...run, stage: 'claimed', expectedDespatchOn: '2026-11-20' },
    { ...run, stage: 'released', expectedDespatchOn: '2026-11-19' },
  ])
  expect(sites).toEqual([capabilities])
})

test('counts the steps of print runs, and how claimed documents are accounted for', async () => {
  await aRun({ key: await seed.printJob(pending), state: 'RELEASED' })
  await aRun({ key: await seed.printJob(inProduction) })
  await aRun({ key: await seed.printJob(pending), account: { outcome: 'REFUSED' } })
  await aRun({ key: await seed.printJob(pending), account: { removed_at: new Date() } })
  await aRun({ key: await seed.printJob(pending), state: 'VOIDED' })

  expect(await readReconciliationFigures(db)).toEqual({
    runsLastDay: { released: 5, claimed: 4, acknowledged: 0, closed: 0, voided: 1 },
    documents: { outstanding: 1, posted: 0, despatched: 0, refused: 1, failed: 0, recalled: 0 },
  })
})
