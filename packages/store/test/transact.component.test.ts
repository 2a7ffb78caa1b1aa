import { afterCommit, transact, transactOn } from '@despatch/postgres/transact'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { sql } from 'kysely'
import type pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Db, openDatabase } from '../src/database.ts'

const direct = await shared(aDatabase())
const proxy = await shared(startTcpProxy({ port: Number(new URL(direct.url).port) }))
const { db, pool } = await shared(
  openDatabase(proxy.through(direct.url), { name: 'through', connectionsMax: 3 }),
)
await direct.pool.query('create table kept (value integer)')
beforeEach(() => direct.pool.query('truncate kept'))

const insert = 'insert into kept values (1)'
const kinds: [string, (before?: () => Promise<unknown>) => Promise<string>][] = [
  [
    'transact',
    (before = async () => {}) =>
      transact(db, async (tx) => {
        await sql`${sql.raw(insert)}`.execute(tx)
        await before()
        return 'done'
      }),
  ],
  [
    'transactOn',
    (before = async () => {}) =>
      transactOn(pool, async (client) => {
        await client.query(insert)
        await before()
        return 'done'
      }),
  ],
]
const isCommit = (bytes: Buffer) => bytes.includes('commit\0')
const countKept = async () =>
  (await direct.pool.query<{ count: number }>('select count(*) from kept')).rows[0]!.count

describe.each(kinds)('%s', (_name, write) => {
  test('confirms a committed transaction when the reply is lost', async () => {
    const lost = proxy.loseReply({ request: isCommit })

    expect(await write()).toBe('done')
    await lost
    expect(await countKept()).toBe(1)
  })

  test('waits until the server has finished the commit of a lost connection', async () => {
    const locker = await lockCommit()
    const written = write()
    await eventually(isCommitWaiting, { message: 'the commit waits' })

    proxy.refuse()
    proxy.resume()
    await locker.query('commit')
    locker.release()

    expect(await written).toBe('done')
    expect(await countKept()).toBe(1)
    await direct.pool.query('drop trigger at_commit on kept')
  })

  test('fails when the server has rolled back', async () => {
    await direct.pool.query(deferred('perform pg_terminate_backend(pg_backend_pid())'))

    await expect(write()).rejects.toMatchObject({ code: '57P01' })
    expect(await countKept()).toBe(0)
    await direct.pool.query('drop trigger at_commit on kept')
  })

  test('fails with the error of the work, and keeps no changes', async () => {
    const fault = new Error('the work fails')

    await expect(write(() => Promise.reject(fault))).rejects.toBe(fault)
    expect(await countKept()).toBe(0)
  })

  test('leaves no connection open', async () => {
    for (let round = 0; round < 5; round++) {
      void proxy.loseReply({ request: isCommit })
      await write()
    }
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })
})

test('a nested transaction is part of the outer transaction', async () => {
  const fault = new Error('rolled back')
  const outer = transact(db, async (tx) => {
    await transact(tx as Db, (inner) => sql`${sql.raw(insert)}`.execute(inner))
    throw fault
  })

  await expect(outer).rejects.toBe(fault)
  expect(await countKept()).toBe(0)
})

describe('what is to be called after the commit', () => {
  const asked = async (given: { before?: () => Promise<unknown> } = {}) => {
    const seen: number[] = []
    const called = (committed: Db) => {
      expect(committed).toBe(db)
      seen.push(1)
    }
    await transact(db, async (tx) => {
      afterCommit(tx, called)
      await transact(tx as Db, async (inner) => afterCommit(inner, called))
      await sql`${sql.raw(insert)}`.execute(tx)
      expect(seen).toEqual([])
      await given.before?.()
    }).catch(() => {})
    return seen
  }

  test('is called once each, also by a nested transaction and when the reply is lost', async () => {
    expect(await asked()).toEqual([1, 1])

    const lost = proxy.loseReply({ request: isCommit })
    expect(await asked()).toEqual([1, 1])
    await lost
  })

  test('is not called after a rollback', async () => {
    expect(await asked({ before: () => Promise.reject(new Error('after all not')) })).toEqual([])
  })

  test('is called at once outside a transaction', () => {
    const seen: Db[] = []
    afterCommit(db, (committed) => seen.push(committed))
    expect(seen).toEqual([db])
  })
})

/** Returns SQL that makes the statement run at COMMIT if a row was inserted. */
function deferred(statement: string): string {
  return `
    create or replace function at_commit() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$;
    create constraint trigger at_commit after insert on kept deferrable initially deferred
      for each row execute function at_commit()`
}

/** Blocks every COMMIT until the returned client commits. */
async function lockCommit(): Promise<pg.PoolClient> {
  await direct.pool.query(deferred('perform pg_advisory_xact_lock(1)'))
  const client = await direct.pool.connect()
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock(1)')
  return client
}

async function isCommitWaiting(): Promise<boolean> {
  const { rowCount } = await direct.pool.query(
    `select from pg_stat_activity where application_name = 'through' and wait_event = 'advisory'`,
  )
  return rowCount === 1
}
