import { randomUUID } from 'node:crypto'
import { transact } from '@despatch/postgres/transact'
import { secondsAgo } from '@despatch/testing/seed-print-job'
import { aRecord, takeIds, takeOnce } from '@despatch/testing/take-callbacks'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { expect, test } from 'vitest'
import { callbackKind } from '../src/callback/callback-kind.ts'
import { insertCallbacks } from '../src/callback/insert.ts'
import { recordCallbacks } from '../src/callback/record.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, seed, aCallback: due } = await aCallbackStore()

const take = async () => (await takeOnce(pool)).callbacks
const takeTheOne = async () => (await take())[0]!

const stateOf = (id: string) =>
  db
    .selectFrom('callback')
    .select(['state', 'end_reason', 'attempts', 'first_attempt_at', 'window_ends_at', 'due_at'])
    .select('attempt_epoch')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const attempts = () => db.selectFrom('callback_attempt').selectAll().execute()
const owe = (key: string, sequence: number) => {
  const id = randomUUID()
  const owed = [{ id, key, sequence, body: Buffer.from('{}') }]
  return transact(db, (tx) =>
    insertCallbacks(tx, owed, { kind: 'status', status: 'DESPATCHED' }),
  ).then(() => id)
}

test('writes a failed attempt with its details, and the time of the next attempt', async () => {
  const id = await due()
  const taken = await takeTheOne()
  const at = new Date('2099-03-02T10:00:01.987Z')
  const windowEndsAt = new Date('2099-03-02T11:00:00.000Z')
  const record = aRecord(taken, { kind: 'retry', at })
  const attempt = {
    ...record.attempt!,
    address: '192.0.2.1',
    answer: Buffer.from([0, 255, 34]),
    failure: 'ETIMEDOUT',
  }

  expect(await recordCallbacks(pool, [{ ...record, attempt, windowEndsAt }])).toEqual([id])

  expect(await stateOf(id)).toEqual({
    state: 'DUE',
    end_reason: null,
    attempts: 1,
    first_attempt_at: new Date('2026-03-02T10:00:00.123Z'),
    window_ends_at: windowEndsAt,
    due_at: at,
    attempt_epoch: 1,
  })
  expect(await attempts()).toEqual([
    {
      callback_id: id,
      number: 1,
      planned_at: taken.plannedAt,
      started_at: new Date('2026-03-02T10:00:00.123Z'),
      duration_ms: 40,
      outcome: 'refused',
      http_status: 503,
      next_at: at,
      address: '192.0.2.1',
      answer: Buffer.from([0, 255, 34]),
      failure: 'ETIMEDOUT',
    },
  ])
})

test('later attempts do not change the end of the window that the first attempt set', async () => {
  const windowEndsAt = new Date('2099-03-02T11:00:00.000Z')
  const id = await due()
  const again = { kind: 'retry', at: secondsAgo(1) } as const
  await recordCallbacks(pool, [{ ...aRecord(await takeTheOne(), again), windowEndsAt }])

  const another = new Date('2099-03-02T12:00:00.000Z')
  await recordCallbacks(pool, [{ ...aRecord(await takeTheOne(), again), windowEndsAt: another }])

  expect(await stateOf(id)).toMatchObject({ attempts: 2, window_ends_at: windowEndsAt })
})

const endings = [
  [{ kind: 'delivered' }, 'DELIVERED', null],
  [{ kind: 'abandon', reason: 'refused' }, 'DEAD', 'refused'],
  [{ kind: 'abandon', reason: 'window-ended' }, 'DEAD', 'window-ended'],
  [{ kind: 'abandon', reason: 'gone' }, 'DEAD', 'gone'],
] as const

test.for(endings)('ends a callback with %j as %s', async ([next, state, reason]) => {
  const id = await due()

  await recordCallbacks(pool, [aRecord(await takeTheOne(), next)])

  expect(await stateOf(id)).toMatchObject({
    state,
    end_reason: reason,
    attempts: 1,
    due_at: null,
  })
  expect(await takeIds(pool)).toEqual([])
})

test('a postponement uses no attempt and does not start the window', async () => {
  const id = await due()
  const { epoch } = await takeTheOne()
  const at = new Date('2099-03-02T10:00:01.000Z')
  const windowEndsAt = new Date('2099-03-02T11:00:00.000Z')

  await recordCallbacks(pool, [{ id, epoch, next: { kind: 'postpone', at }, windowEndsAt }])

  expect(await stateOf(id)).toMatchObject({
    state: 'DUE',
    attempts: 0,
    first_attempt_at: null,
    window_ends_at: null,
    due_at: at,
  })
  expect(await attempts()).toEqual([])
})

test('a record with an old epoch changes nothing, even if it repeats the current record', async () => {
  const key = await seed.printJob()
  const id = await due({ print_job_key: key })
  const record = aRecord(await takeTheOne(), { kind: 'retry', at: secondsAgo(0) })
  const gone = aRecord(
    { ...record, attempts: 0, plannedAt: new Date() },
    { kind: 'abandon', reason: 'gone' },
  )
  await recordCallbacks(pool, [record])
  const before = await stateOf(id)

  expect(await recordCallbacks(pool, [record])).toEqual([])
  expect(await recordCallbacks(pool, [{ ...record, epoch: 99 }])).toEqual([])
  expect(await recordCallbacks(pool, [gone])).toEqual([])

  expect(await stateOf(id)).toEqual(before)
  expect(await attempts()).toHaveLength(1)
  expect(
    await db.selectFrom('print_job').select('callback_gone_at').where('key', '=', key).execute(),
  ).toEqual([{ callback_gone_at: null }])
})

test('a worker whose lease was given up records nothing', async () => {
  const id = await due({ attempt_epoch: 4 })
  const [late] = await take()
  await db
    .updateTable('callback_batch')
    .set({ leased_until: secondsAgo(9) })
    .execute()
  await giveUpBatches(db, callbackKind)
  const [mine] = await take()

  expect(await recordCallbacks(pool, [aRecord(late!, { kind: 'delivered' })])).toEqual([])
  expect(await recordCallbacks(pool, [aRecord(mine!, { kind: 'delivered' })])).toEqual([id])
})

test('records many callbacks at once, each with its own outcome', async () => {
  const ids = [await due(), await due(), await due()]
  const taken = await take()
  const ends = [
    { kind: 'retry', at: new Date('2099-01-01') },
    { kind: 'abandon', reason: 'gone' },
    { kind: 'delivered' },
  ] as const

  const recorded = await recordCallbacks(
    pool,
    ids.map((id, index) => aRecord(taken.find((each) => each.id === id)!, ends[index]!)),
  )

  expect(recorded.toSorted()).toEqual(ids.toSorted())
  expect((await Promise.all(ids.map(stateOf))).map(({ state }) => state)).toEqual([
    'DUE',
    'DEAD',
    'DELIVERED',
  ])
})

test('a 410 ends all current and later callbacks of the print job', async () => {
  const key = await seed.printJob()
  const first = await seed.callback({ print_job_key: key, sequence: 1 })
  const second = await seed.callback({
    print_job_key: key,
    sequence: 2,
    due_at: new Date('2099-01-01'),
  })
  const delivered = await seed.callback({
    print_job_key: key,
    sequence: 3,
    state: 'DELIVERED',
    ended_at: new Date(),
  })
  const elsewhere = await due({ due_at: new Date('2099-01-01') })

  await recordCallbacks(pool, [aRecord(await takeTheOne(), { kind: 'abandon', reason: 'gone' })])
  const fourth = await owe(key, 4)

  expect(await stateOf(first)).toMatchObject({ state: 'DEAD', end_reason: 'gone', attempts: 1 })
  expect(await stateOf(second)).toMatchObject({ state: 'DEAD', end_reason: 'gone', attempts: 0 })
  expect(await stateOf(delivered)).toMatchObject({ state: 'DELIVERED', end_reason: null })
  expect(await stateOf(fourth)).toMatchObject({ state: 'DEAD', end_reason: 'gone', due_at: null })
  expect(await stateOf(elsewhere)).toMatchObject({ state: 'DUE' })
})

test('a 410 also ends callbacks of a concurrent transaction that it waits for', async () => {
  const key = await seed.printJob()
  await seed.callback({ print_job_key: key, sequence: 1 })
  const record = aRecord(await takeTheOne(), { kind: 'abandon', reason: 'gone' })
  const id = randomUUID()

  const recorded = await transact(db, async (tx) => {
    await tx.updateTable('print_job').set({ comment: 'moves' }).where('key', '=', key).execute()
    const recording = recordCallbacks(pool, [record])
    const owed = [{ id, key, sequence: 2, body: Buffer.from('{}') }]
    await insertCallbacks(tx, owed, { kind: 'status', status: 'DESPATCHED' })
    return { recording }
  })
  await recorded.recording

  expect(await stateOf(id)).toMatchObject({ state: 'DEAD', end_reason: 'gone' })
})
