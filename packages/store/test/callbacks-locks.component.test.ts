import { transact } from '@despatch/postgres/transact'
import { secondsAgo } from '@despatch/testing/seed-print-job'
import { takeIds } from '@despatch/testing/take-callbacks'
import { beside } from '@despatch/testing/waits-or-ends'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { expect, test } from 'vitest'
import { callbackKind } from '../src/callback/callback-kind.ts'
import { saveReplay, saveReplays } from '../src/callback/replay.ts'
import { purgedBody } from '../src/purge/purged-body.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, seed, aCallback, read } = await aCallbackStore({ connectionsMax: 6 })

const dead = { state: 'DEAD', end_reason: 'window-ended', ended_at: new Date() } as const

test('a call whose outcome is being recorded is not interrupted', async () => {
  const id = await aCallback()
  await seed.underWay(id, secondsAgo(9))

  const { result } = await beside(
    pool,
    {
      statement: `update callback set state = 'DELIVERED', attempts = 1, attempt_epoch = attempt_epoch + 1,
       due_at = null, ended_at = now() where id = $1`,
      values: [id],
    },
    () => giveUpBatches(db, callbackKind),
  )

  expect(result).toBe(0)
  expect(await db.selectFrom('callback_attempt').selectAll().execute()).toEqual([])
})

test('a callback that is being purged is not sent again', async () => {
  const id = await aCallback(dead)

  const { first } = await beside(
    pool,
    { statement: `update callback set body = '${purgedBody}' where id = $1`, values: [id] },
    () => transact(db, (tx) => saveReplay(tx, {}, id)),
  )

  expect(first).toBe('waits')
  expect(await read(id)).toMatchObject({ state: 'DEAD', replays: 0 })
})

test('a replay waits for the print job of its callback before it locks the callback', async () => {
  const key = await seed.printJob({ callback_gone_at: new Date() })
  const id = await seed.callback({ print_job_key: key, ...dead, end_reason: 'gone' })

  const { first } = await beside(
    pool,
    {
      statement:
        'select from print_job join callback on print_job_key = key where callback.id = $1 for update of print_job',
      values: [id],
    },
    () => transact(db, (tx) => saveReplay(tx, {}, id)),
    async (query) => {
      await query('select from callback where id = $1 for update nowait')
    },
  )

  expect(first).toBe('waits')
  expect(await read(id)).toMatchObject({ state: 'DUE', replays: 1 })
})

test('replays skip a callback that another transaction is changing', async () => {
  const changing = await aCallback(dead)
  const other = await aCallback(dead)

  const { first, result } = await beside(
    pool,
    { statement: 'select from callback where id = $1 for update', values: [changing] },
    () => transact(db, (tx) => saveReplays(tx, {}, { expectedCount: 1, replaysMax: 10 })),
  )

  expect(first).toBe('ends')
  expect(result).toMatchObject({ kind: 'replayed', count: 1 })
  expect(await read(changing)).toMatchObject({ replays: 0 })
  expect(await read(other)).toMatchObject({ replays: 1 })
})

test('a callback in strict order that another transaction has locked is left to a later pass', async () => {
  const id = await aCallback({ strict_contract_id: seed.contractId, state: 'WAITING' })

  const { first, result } = await beside(
    pool,
    { statement: 'select from callback where id = $1 for update', values: [id] },
    () => takeIds(pool),
  )

  expect(first).toBe('ends')
  expect(result).toEqual([])
  expect(await takeIds(pool)).toEqual([id])
})

test('a probe does not change a breaker that another call is just changing', async () => {
  const origin = 'https://example.com'
  await db
    .insertInto('callback_origin')
    .values({ origin, breaker: 'open', breaker_until: secondsAgo(1) })
    .execute()
  const id = await aCallback()
  const until = secondsAgo(-600)

  const { first, result } = await beside(
    pool,
    {
      statement: 'update callback_origin set breaker_until = $1 where origin = $2',
      values: [until, origin],
    },
    () => takeIds(pool),
  )

  expect([first, result]).toEqual(['waits', [id]])
  expect(await db.selectFrom('callback_origin').select('breaker_until').execute()).toEqual([
    { breaker_until: until },
  ])
})
