import { transact } from '@despatch/postgres/transact'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { takeOnce } from '@despatch/testing/take-callbacks'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { describe, expect, test } from 'vitest'
import { callbackKind } from '../src/callback/callback-kind.ts'
import { countReplayable, saveReplay, saveReplays } from '../src/callback/replay.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, seed, aCallback, read } = await aCallbackStore()

type RestOf<Replays> = Replays extends (tx: never, ...rest: infer Rest) => unknown ? Rest : never
const dead = { state: 'DEAD', end_reason: 'window-ended', ended_at: new Date() } as const
const replayOne = (scope: { consumerId?: string }, id: string) =>
  transact(db, (tx) => saveReplay(tx, scope, id))
const replayMany = (...[filter, options]: RestOf<typeof saveReplays>) =>
  transact(db, (tx) => saveReplays(tx, filter, options))
const twoOrMore = { expectedCount: 2, replaysMax: 10 }

test('replays a dead callback with the same bytes and id in a new round, due now', async () => {
  const body = Buffer.from('{"as":"it was"}')
  const id = await aCallback({
    ...dead,
    body,
    attempts: 9,
    attempts_before: 4,
    first_attempt_at: secondsAgo(600),
    window_ends_at: secondsAgo(60),
    owed_since: secondsAgo(600),
    attempt_epoch: 5,
  })

  expect(await replayOne({ consumerId: seed.consumerId }, id)).toBe(true)

  const row = await read(id)
  expect(row).toMatchObject({
    state: 'DUE',
    end_reason: null,
    ended_at: null,
    body,
    attempts: 9,
    attempts_before: 9,
    first_attempt_at: null,
    window_ends_at: null,
    replays: 1,
    attempt_epoch: 6,
  })
  expect(row.owed_since.getTime()).toBeGreaterThan(Date.now() - 60_000)
  expect(row.due_at).toEqual(row.owed_since)
  expect((await takeOnce(pool)).callbacks).toMatchObject([{ id, attempts: 9, attemptsBefore: 9 }])
})

const others = [
  ['delivered', { state: 'DELIVERED', ended_at: new Date() }],
  ['due later', { due_at: secondsAgo(-600) }],
] as const

test.for(others)('a callback that is %s may be replayed too', async ([, given]) => {
  const id = await aCallback(given)

  expect(await replayOne({}, id)).toBe(true)

  expect((await takeOnce(pool)).callbacks).toMatchObject([{ id }])
})

test('a replay leaves the callback of a dead process until its call is recorded as interrupted', async () => {
  const id = await aCallback()
  await seed.underWay(id, secondsAgo(9))

  await replayOne({}, id)

  expect(await read(id)).toMatchObject({ replays: 0, attempts: 0 })
  await giveUpBatches(db, callbackKind)
  await replayOne({}, id)
  expect(await read(id)).toMatchObject({ replays: 1, attempts: 1, attempts_before: 1 })
})

test('a replay does not change a callback that is being sent', async () => {
  const id = await aCallback()
  await seed.underWay(id, secondsAgo(-60))
  const before = await read(id)

  expect(await replayOne({}, id)).toBe(true)

  expect(await read(id)).toEqual(before)
})

test('a callback of another consumer is absent, like an unknown callback', async () => {
  const another = await seeder(db)
  const id = await aCallback(dead)

  expect(await replayOne({ consumerId: another.consumerId }, id)).toBe(false)
  expect(await replayOne({}, seed.consumerId)).toBe(false)
  expect((await read(id)).state).toBe('DEAD')
})

test('in strict order a replayed callback waits for its turn again', async () => {
  const id = await aCallback({ ...dead, strict_contract_id: seed.contractId })

  await replayOne({}, id)

  expect(await read(id)).toMatchObject({ state: 'WAITING', due_at: null })
})

test('a replay of one callback changes no other', async () => {
  const id = await aCallback(dead)
  const other = await aCallback(dead)
  const before = await read(other)

  await replayOne({}, id)

  expect(await read(other)).toEqual(before)
})

describe('a replay after a 410', () => {
  const gone = { ...dead, end_reason: 'gone' } as const
  const leftOf = async (keys: readonly string[]) => {
    const left = db
      .selectFrom('print_job')
      .select('key')
      .where('callback_gone_at', 'is not', null)
      .where('key', 'in', keys)
    return (await left.execute()).map(({ key }) => key)
  }

  test('resumes the callbacks of its print job, and of no other', async () => {
    const key = await seed.printJob({ callback_gone_at: new Date() })
    const other = await seed.printJob({ callback_gone_at: new Date() })
    const id = await seed.callback({ ...gone, print_job_key: key })
    await seed.callback({ ...gone, print_job_key: other })

    await replayOne({}, id)

    expect(await leftOf([key, other])).toEqual([other])
  })

  test('resumes none if nothing is replayed', async () => {
    const key = await seed.printJob({ callback_gone_at: new Date() })
    await seed.callback({ ...gone, print_job_key: key })

    expect(await replayMany({}, twoOrMore)).toEqual({ kind: 'differs', count: 1 })

    expect(await leftOf([key])).toEqual([key])
  })
})

test('as many callbacks as the limit are replayed', async () => {
  const ids = [await aCallback(dead), await aCallback(dead)]

  expect(await replayMany({}, { expectedCount: 2, replaysMax: 2 })).toMatchObject({ count: 2 })

  for (const id of ids) expect(await read(id)).toMatchObject({ state: 'DUE', replays: 1 })
})

test('a replay counts callbacks first, then replays them, and only once', async () => {
  await aCallback({ ...dead, created_at: new Date('2026-03-01T00:00:00Z') })
  await aCallback({ ...dead, created_at: new Date('2026-03-02T00:00:00Z') })
  await aCallback({ state: 'DELIVERED', ended_at: new Date() })
  const counted = {
    count: 2,
    oldest: new Date('2026-03-01T00:00:00Z'),
    newest: new Date('2026-03-02T00:00:00Z'),
  }

  expect(await countReplayable(db, {})).toEqual(counted)
  expect(await replayMany({}, twoOrMore)).toEqual({ kind: 'replayed', ...counted })
  expect(await replayMany({}, twoOrMore)).toEqual({ kind: 'differs', count: 0 })

  const rows = await db
    .selectFrom('callback')
    .select(['state', 'replays'])
    .orderBy('position')
    .execute()
  expect(rows).toEqual([
    { state: 'DUE', replays: 1 },
    { state: 'DUE', replays: 1 },
    { state: 'DELIVERED', replays: 0 },
  ])
})

test('only one of two concurrent replays of the same callbacks succeeds', async () => {
  await aCallback(dead)
  await aCallback(dead)

  const results = await Promise.all([1, 2].map(() => replayMany({}, twoOrMore)))

  expect(results.map(({ kind }) => kind).sort()).toEqual(['differs', 'replayed'])
})

test('replays nothing when the count differs from the expected count, or exceeds the limit', async () => {
  for (let index = 0; index < 3; index++) await aCallback(dead)

  expect(await replayMany({}, twoOrMore)).toEqual({ kind: 'differs', count: 3 })
  expect(await replayMany({}, { expectedCount: 3, replaysMax: 2 })).toEqual({ kind: 'too-many' })
  expect(await countReplayable(db, {})).toMatchObject({ count: 3 })
})

test('a replay of no callbacks succeeds', async () => {
  const none = { count: 0, oldest: null, newest: null }

  expect(await countReplayable(db, {})).toEqual(none)
  expect(await replayMany({}, { expectedCount: 0, replaysMax: 2 })).toEqual({
    kind: 'replayed',
    ...none,
  })
})

test('a callback that is being sent is neither counted nor replayed', async () => {
  await aCallback({ due_at: secondsAgo(-600) })
  await seed.underWay(await aCallback(), secondsAgo(-60))

  expect(await countReplayable(db, { status: 'DUE' })).toMatchObject({ count: 1 })
  expect(await replayMany({ status: 'DUE' }, { expectedCount: 1, replaysMax: 2 })).toMatchObject({
    kind: 'replayed',
    count: 1,
  })
})
