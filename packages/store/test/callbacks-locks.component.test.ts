import { transact } from '@despatch/postgres/transact'
import { aDatabase } from '@despatch/testing/a-database'
import { type Seeder, secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { takeIds } from '@despatch/testing/take-callbacks'
import { waitsOrEnds } from '@despatch/testing/waits-or-ends'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { beforeEach, expect, test } from 'vitest'
import { callbackKind } from '../src/callback/callback-kind.ts'
import { saveReplay, saveReplays } from '../src/callback/replay.ts'
import { purgedBody } from '../src/purge/purged-body.ts'

const { db, pool } = await shared(aDatabase({ pipeline: true, connectionsMax: 6 }))
let seed: Seeder

beforeEach(async () => {
  for (const table of [
    'callback_attempt',
    'callback_batch',
    'callback',
    'callback_origin',
  ] as const) {
    await db.deleteFrom(table).execute()
  }
  seed = await seeder(db)
})

const dead = { state: 'DEAD', end_reason: 'window-ended', ended_at: new Date() } as const
const read = (id: string) =>
  db.selectFrom('callback').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/**
 * Begins an operation while another transaction has executed a statement. Returns whether the operation waits for that
 * transaction, which then commits, and its result.
 */
async function beside<Result>(
  statement: string,
  values: unknown[],
  operation: () => Promise<Result>,
  meanwhile?: (query: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<{ first: 'waits' | 'ends'; result: Result }> {
  const other = await pool.connect()
  await other.query('begin')
  await other.query(statement, values)
  const result = operation()
  const first = await waitsOrEnds(pool, result)
  await meanwhile?.((text) => other.query(text, values))
  await other.query('commit')
  other.release()
  return { first, result: await result }
}

test('a call whose outcome is being recorded is not interrupted', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob() })
  await seed.underWay(id, secondsAgo(9))

  const { result } = await beside(
    `update callback set state = 'DELIVERED', attempts = 1, attempt_epoch = attempt_epoch + 1,
       due_at = null, ended_at = now() where id = $1`,
    [id],
    () => giveUpBatches(db, callbackKind),
  )

  expect(result).toBe(0)
  expect(await db.selectFrom('callback_attempt').selectAll().execute()).toEqual([])
})

test('a callback that is being purged is not sent again', async () => {
  const id = await seed.callback({ print_job_key: await seed.printJob(), ...dead })

  const { first } = await beside(
    `update callback set body = '${purgedBody}' where id = $1`,
    [id],
    () => transact(db, (tx) => saveReplay(tx, {}, id)),
  )

  expect(first).toBe('waits')
  expect(await read(id)).toMatchObject({ state: 'DEAD', replays: 0 })
})

test('a replay waits for the print job of its callback before it locks the callback', async () => {
  const key = await seed.printJob({ callback_gone_at: new Date() })
  const id = await seed.callback({ print_job_key: key, ...dead, end_reason: 'gone' })

  const { first } = await beside(
    'select from print_job join callback on print_job_key = key where callback.id = $1 for update of print_job',
    [id],
    () => transact(db, (tx) => saveReplay(tx, {}, id)),
    async (query) => {
      await query('select from callback where id = $1 for update nowait')
    },
  )

  expect(first).toBe('waits')
  expect(await read(id)).toMatchObject({ state: 'DUE', replays: 1 })
})

test('replays skip a callback that another transaction is changing', async () => {
  const changing = await seed.callback({ print_job_key: await seed.printJob(), ...dead })
  const other = await seed.callback({ print_job_key: await seed.printJob(), ...dead })

  const { first, result } = await beside(
    'select from callback where id = $1 for update',
    [changing],
    () => transact(db, (tx) => saveReplays(tx, {}, { expectedCount: 1, replaysMax: 10 })),
  )

  expect(first).toBe('ends')
  expect(result).toMatchObject({ kind: 'replayed', count: 1 })
  expect(await read(changing)).toMatchObject({ replays: 0 })
  expect(await read(other)).toMatchObject({ replays: 1 })
})

test('a callback in strict order that another transaction has locked is left to a later pass', async () => {
  const id = await seed.callback({
    print_job_key: await seed.printJob(),
    strict_contract_id: seed.contractId,
    state: 'WAITING',
  })

  const { first, result } = await beside(
    'select from callback where id = $1 for update',
    [id],
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
  const id = await seed.callback({ print_job_key: await seed.printJob() })
  const until = secondsAgo(-600)

  const { first, result } = await beside(
    'update callback_origin set breaker_until = $1 where origin = $2',
    [until, origin],
    () => takeIds(pool),
  )

  expect([first, result]).toEqual(['waits', [id]])
  expect(await db.selectFrom('callback_origin').select('breaker_until').execute()).toEqual([
    { breaker_until: until },
  ])
})
