import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { allowSilence } from '@despatch/postgres/bounded-client'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/database.ts'

/** Longer than a busy machine takes to answer. */
const silenceMsMax = 1_000

async function aDatabase(options: { pipeline?: boolean } = {}) {
  const { url } = await cloneDatabase()
  const proxy = await startTcpProxy({ port: Number(new URL(url).port) })
  onTestFinished(() => proxy.close())
  const database = openDatabase(proxy.through(url), {
    name: 'test',
    connectionsMax: 1,
    silenceMsMax,
    ...options,
  })
  onTestFinished(() => database.close())
  await database.pool.query('select 1')
  return { proxy, ...database }
}

const silent = { name: 'SilentServer', code: 'ETIMEDOUT' }

test('a statement without an answer fails, and its connection is not used again', async () => {
  const { pool, proxy } = await aDatabase()

  proxy.hang()
  await expect(pool.query("select 'lost'")).rejects.toMatchObject(silent)
  expect(pool.totalCount).toBe(0)
  proxy.resume()

  expect((await pool.query("select 'again' as text")).rows).toEqual([{ text: 'again' }])
})

test('a transaction without an answer fails, and its connection is not used again', async () => {
  const { db, pool, proxy } = await aDatabase()

  const failed = db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx)
    proxy.hang()
    await sql`select 2`.execute(tx)
  })

  const error = await failed.catch((reason: unknown) => reason)
  expect(unavailableDependency(error)).toBe('database')
  expect(pool.totalCount).toBe(0)
  proxy.resume()
  expect((await sql`select 3 as number`.execute(db)).rows).toEqual([{ number: 3 }])
})

test('pipelined statements fail together', async () => {
  const { pool, proxy } = await aDatabase({ pipeline: true })
  const client = await pool.connect()

  proxy.hang()
  const both = await Promise.allSettled([client.query('select 1'), client.query('select 2')])
  client.release(true)

  expect(both).toMatchObject([
    { status: 'rejected', reason: silent },
    { status: 'rejected', reason: silent },
  ])
})

test('an idle connection is kept', async () => {
  const { pool } = await aDatabase()
  const pid = 'select pg_backend_pid() as pid'
  const client = await pool.connect()
  const before = await client.query(pid)

  const { promise: hasRested, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, 2 * silenceMsMax)
  await hasRested

  expect((await client.query(pid)).rows).toEqual(before.rows)
  client.release()
})

test('waits for a statement with a longer time limit', async () => {
  const { pool } = await aDatabase()
  const client = await pool.connect()
  allowSilence(client, 30_000)

  expect((await client.query('select pg_sleep($1)', [(2 * silenceMsMax) / 1000])).rowCount).toBe(1)
  client.release(true)
})

test('closing ends even if the server does not answer', async () => {
  const { close, pool, proxy } = await aDatabase()
  await pool.query('select 1')

  proxy.hang()

  await close()
  expect(pool.totalCount).toBe(0)
})

test('a statement after closing fails with a database outage', async () => {
  const { close, db, pool } = await aDatabase()

  await close()

  for (const late of [pool.query('select 1'), sql`select 1`.execute(db)]) {
    expect(unavailableDependency(await late.catch((error) => error))).toBe('database')
  }
})
