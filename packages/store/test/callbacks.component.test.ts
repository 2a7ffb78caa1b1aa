import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import {
  type CallbackRecord,
  recordCallbacks,
  type TakenCallback,
  takeCallbacks,
  wakeOverdueCallbacks,
} from '../src/callback/callbacks.ts'
import { openDatabase } from '../src/database.ts'
import { type Seeder, secondsAgo, seeder } from './seed-print-job.ts'

const clone = await cloneDatabase()
const { db, close } = openDatabase(clone.url, { name: 'test', connectionsMax: 6 })
let seed: Seeder

beforeEach(async () => {
  for (const table of ['callback_attempt', 'callback', 'outbox'] as const) {
    await db.deleteFrom(table).execute()
  }
  seed = await seeder(db)
})

afterAll(async () => {
  await close()
  await clone.drop()
})

const take = (...ids: string[]) => takeCallbacks(db, ids, { leaseSeconds: 20 })
const takenIds = async (...ids: string[]) => (await take(...ids)).map(({ id }) => id).sort()
const one = <T>([only]: readonly T[]): T => only!

const failedAttempt = (taken: TakenCallback, next: CallbackRecord['next']): CallbackRecord => ({
  id: taken.id,
  epoch: taken.epoch,
  attempt: {
    number: taken.attempts + 1,
    plannedAt: taken.plannedAt,
    startedAt: new Date('2026-03-02T10:00:00.123Z'),
    durationMs: 40,
    outcome: 'answered',
    httpStatus: 503,
  },
  next,
})

const stateOf = (id: string) =>
  db
    .selectFrom('callback')
    .select(['state', 'attempts', 'first_attempt_at', 'due_at', 'attempt_epoch', 'lease_until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const outbox = () =>
  db.selectFrom('outbox').select(['queue', 'subject', 'epoch', 'due_at']).orderBy('id').execute()

test('takes a callback that is due, with all that the call needs', async () => {
  const key = await seed.printJob({ callback_authentication_sealed: Buffer.from('sealed') })
  const id = await seed.callback({ print_job_key: key, body: Buffer.from('{"a":1}') })

  const [taken] = await take(id)

  expect(taken).toEqual({
    id,
    epoch: 1,
    printJobKey: key,
    sequence: 1,
    body: Buffer.from('{"a":1}'),
    attempts: 0,
    createdAt: expect.any(Date),
    firstAttemptAt: null,
    plannedAt: expect.any(Date),
    takenAt: expect.any(Date),
    callbackParams: { target: 'https://example.com/status?token=a.b' },
    authenticationSealed: Buffer.from('sealed'),
    correlationId: 'correlation-1',
    isGone: false,
  })
})

test('leaves alone what is not yet due, has ended, or is held', async () => {
  const notYet = await seed.callback({
    print_job_key: await seed.printJob(),
    due_at: new Date(Date.now() + 60_000),
  })
  const ended = await seed.callback({
    print_job_key: await seed.printJob(),
    state: 'DELIVERED',
    ended_at: new Date(),
  })
  const held = await seed.callback({
    print_job_key: await seed.printJob(),
    lease_until: new Date(Date.now() + 60_000),
  })

  expect(await take(notYet, ended, held)).toEqual([])
})

test('takes again what a dead worker held', async () => {
  const id = await seed.callback({
    print_job_key: await seed.printJob(),
    lease_until: secondsAgo(1),
    attempt_epoch: 7,
  })

  expect(one(await take(id)).epoch).toBe(8)
})

test('gives a callback to one of two that ask at once', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })

  const [first, second] = await takeBoth(id, id)

  expect(first.map((taken) => taken.id)).toEqual([id])
  expect(second).toEqual([])
})

test('takes the due callbacks of a print job one at a time, lowest sequence first', async () => {
  const key = await seed.printJob()
  const second = await seed.callback({ print_job_key: key, sequence: 2 })
  const first = await seed.callback({ print_job_key: key, sequence: 1 })
  const other = await seed.callback({ print_job_key: await seed.printJob(), sequence: 2 })

  expect(await takenIds(second)).toEqual([])
  expect(await takenIds(second, first, other)).toEqual([first, other].sort())
  expect(await takenIds(second)).toEqual([])
})

test('never has two calls of one print job under way, though they come due meanwhile', async () => {
  const key = await seed.printJob()
  const retried = await seed.callback({
    print_job_key: key,
    sequence: 1,
    due_at: new Date(Date.now() + 200),
  })
  const later = await seed.callback({ print_job_key: key, sequence: 2 })

  const [first, second] = await takeBoth(later, retried)

  expect(first.map((taken) => taken.id)).toEqual([later])
  expect(second).toEqual([])
})

test('a failing callback does not hold back a later one', async () => {
  const key = await seed.printJob()
  const first = await seed.callback({ print_job_key: key, sequence: 1 })
  const second = await seed.callback({ print_job_key: key, sequence: 2 })
  const at = new Date(Date.now() + 3_600_000)

  await recordCallbacks(db, [failedAttempt(one(await take(first)), { kind: 'retry', at })])

  expect(await takenIds(second)).toEqual([second])
})

test('writes a failed attempt, when the next is due, and its wake-up', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })
  const taken = one(await take(id))
  const at = new Date('2099-03-02T10:00:01.987Z')

  expect(await recordCallbacks(db, [failedAttempt(taken, { kind: 'retry', at })])).toEqual([id])

  expect(await stateOf(id)).toEqual({
    state: 'DUE',
    attempts: 1,
    first_attempt_at: new Date('2026-03-02T10:00:00.123Z'),
    due_at: at,
    attempt_epoch: 2,
    lease_until: null,
  })
  expect(await outbox()).toEqual([{ queue: 'callback', subject: id, epoch: 2, due_at: at }])
  expect(await db.selectFrom('callback_attempt').selectAll().execute()).toEqual([
    {
      callback_id: id,
      number: 1,
      planned_at: taken.plannedAt,
      started_at: new Date('2026-03-02T10:00:00.123Z'),
      duration_ms: 40,
      outcome: 'answered',
      http_status: 503,
      next_at: at,
    },
  ])
})

const endings = [
  [{ kind: 'delivered' }, 'DELIVERED'],
  [{ kind: 'abandon', reason: 'refused' }, 'ABANDONED'],
] as const

test.for(endings)('ends a callback with %j as %s, with no wake-up', async ([next, state]) => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })

  await recordCallbacks(db, [failedAttempt(one(await take(id)), next)])

  expect(await stateOf(id)).toMatchObject({ state, attempts: 1, due_at: null, lease_until: null })
  expect(await outbox()).toEqual([])
})

test('a postponement uses up no attempt and does not start the window', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })
  const { epoch } = one(await take(id))
  const at = new Date('2099-03-02T10:00:01Z')

  await recordCallbacks(db, [{ id, epoch, next: { kind: 'postpone', at } }])

  expect(await stateOf(id)).toMatchObject({ state: 'DUE', attempts: 0, first_attempt_at: null })
  expect(await outbox()).toEqual([{ queue: 'callback', subject: id, epoch: 2, due_at: at }])
  expect(await db.selectFrom('callback_attempt').selectAll().execute()).toEqual([])
})

test('a record under an old epoch changes nothing, not even the same record a second time', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })
  const record = failedAttempt(one(await take(id)), { kind: 'retry', at: secondsAgo(0) })
  await recordCallbacks(db, [record])
  const before = [await stateOf(id), await outbox()]

  expect(await recordCallbacks(db, [record])).toEqual([])
  expect(await recordCallbacks(db, [{ ...record, epoch: 99 }])).toEqual([])

  expect([await stateOf(id), await outbox()]).toEqual(before)
})

test('records many at once, each with its own end', async () => {
  const ids = await Promise.all(
    [1, 2, 3].map(async () => seed.callback({ print_job_key: await seed.printJob() })),
  )
  const taken = await take(...ids)
  const next = (index: number): CallbackRecord['next'] =>
    index === 0 ? { kind: 'retry', at: new Date('2099-01-01') } : { kind: 'delivered' }

  const recorded = await recordCallbacks(
    db,
    taken.map((callback, index) => failedAttempt(callback, next(index))),
  )

  expect(recorded.toSorted()).toEqual(ids.toSorted())
  expect((await Promise.all(taken.map(({ id }) => stateOf(id)))).map(({ state }) => state)).toEqual(
    ['DUE', 'DELIVERED', 'DELIVERED'],
  )
  expect(await outbox()).toHaveLength(1)
})

test('wakes the next callback of the print job, which had to wait', async () => {
  const key = await seed.printJob()
  const first = await seed.callback({ print_job_key: key, sequence: 1 })
  const second = await seed.callback({ print_job_key: key, sequence: 2 })
  await seed.callback({ print_job_key: key, sequence: 3 })

  await recordCallbacks(db, [failedAttempt(one(await take(first)), { kind: 'delivered' })])

  expect(await outbox()).toEqual([
    { queue: 'callback', subject: second, epoch: 1, due_at: expect.any(Date) },
  ])
  expect(await takenIds(second)).toEqual([second])
})

test('a consumer that is gone ends all callbacks of the print job, and those owed later', async () => {
  const key = await seed.printJob()
  const first = await seed.callback({ print_job_key: key, sequence: 1 })
  const second = await seed.callback({
    print_job_key: key,
    sequence: 2,
    due_at: new Date('2099-01-01'),
  })
  const elsewhere = await seed.callback({ print_job_key: await seed.printJob() })
  const record = failedAttempt(one(await take(first)), { kind: 'abandon', reason: 'gone' })

  await recordCallbacks(db, [{ ...record, attempt: { ...record.attempt!, httpStatus: 410 } }])
  const third = await seed.callback({ print_job_key: key, sequence: 3 })

  expect((await stateOf(first)).state).toBe('ABANDONED')
  expect(await stateOf(second)).toMatchObject({ state: 'ABANDONED', attempts: 0, due_at: null })
  expect(one(await take(third)).isGone).toBe(true)
  expect(one(await take(elsewhere)).isGone).toBe(false)
})

test('wakes what is overdue, each with a new epoch, and not again before it is overdue once more', async () => {
  const late = await seed.callback({ print_job_key: await seed.printJob(), due_at: secondsAgo(60) })
  const abandonedByWorker = await seed.callback({
    print_job_key: await seed.printJob(),
    due_at: secondsAgo(90),
    lease_until: secondsAgo(11),
    attempt_epoch: 4,
  })
  await seed.callback({ print_job_key: await seed.printJob(), due_at: secondsAgo(5) })
  await seed.callback({
    print_job_key: await seed.printJob(),
    due_at: secondsAgo(60),
    lease_until: secondsAgo(5),
  })

  expect(await wakeOverdueCallbacks(db, { lateSeconds: 10, callbacksMax: 100 })).toBe(2)
  expect(await wakeOverdueCallbacks(db, { lateSeconds: 10, callbacksMax: 100 })).toBe(0)

  expect((await outbox()).map(({ subject, epoch }) => [subject, epoch])).toEqual(
    expect.arrayContaining([
      [late, 1],
      [abandonedByWorker, 5],
    ]),
  )
  expect(await takenIds(late, abandonedByWorker)).toHaveLength(2)
})

test('wakes a bounded number, the latest first, and two sweeps share the work', async () => {
  for (let seconds = 20; seconds < 30; seconds++) {
    await seed.callback({ print_job_key: await seed.printJob(), due_at: secondsAgo(seconds) })
  }

  const woken = await Promise.all(
    [1, 2, 3, 4].map(() => wakeOverdueCallbacks(db, { lateSeconds: 10, callbacksMax: 3 })),
  )

  const subjects = (await outbox()).map(({ subject }) => subject)
  expect(woken.reduce((sum, count) => sum + count)).toBe(subjects.length)
  expect(new Set(subjects).size).toBe(subjects.length)
  expect(subjects.length).toBeGreaterThanOrEqual(3)
})

/** Takes the second callback, once it is due, while the take of the first is not yet committed. */
async function takeBoth(firstId: string, secondId: string) {
  const { first, second } = await db.transaction().execute(async (tx) => {
    const first = await takeCallbacks(tx, [firstId], { leaseSeconds: 20 })
    await eventually(() => isDue(secondId), { message: 'the second callback is due' })
    const second = take(secondId)
    await eventually(() => isWaitingForLock(), { message: 'the second take waits for the first' })
    return { first, second }
  })
  return [first, await second] as const
}

async function isDue(id: string): Promise<boolean> {
  const { rows } = await sql<{ is_due: boolean }>`
    select due_at <= clock_timestamp() as is_due from callback where id = ${id}`.execute(db)
  return rows[0]!.is_due
}

async function isWaitingForLock(): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}
