import { shared } from '@despatch/testing/shared'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { cloneDatabase } from '../src/clone-database.ts'
import { takeQueueBackends } from '../src/queue-backends.ts'
import { askRedis } from '../src/redis.ts'

const database = await shared(cloneDatabase())
const queueBackends = await takeQueueBackends()

async function query(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

test('a cloned database is migrated and has the tables of the queues', async () => {
  const rows = await query(
    database.url,
    `select count(*) filter (where table_schema = 'public') > 0 as migrated,
            count(*) filter (where table_schema = 'bullmq') > 0 as queues
     from information_schema.tables`,
  )

  expect(rows).toEqual([{ migrated: true, queues: true }])
})

test('what one clone is told, another does not know', async () => {
  const other = await cloneDatabase()
  await query(database.url, 'create table only_here (id int)')

  const rows = await query(other.url, `select to_regclass('only_here') as found`)

  await other.drop()
  expect(rows).toEqual([{ found: null }])
})

test('a dropped clone is gone although a session is still open on it', async () => {
  const other = await cloneDatabase()
  const client = new pg.Client({ connectionString: other.url })
  client.on('error', () => {})
  await client.connect()

  await other.drop()

  await expect(query(other.url, 'select 1')).rejects.toThrow(/does not exist/)
})

test('the object store answers at its address, and lets nobody in without a signature', async () => {
  const { endpoint, bucket } = inject('infra').objectStore

  const answer = await fetch(`${endpoint}/${bucket}/anything`)

  expect(answer.status).toBe(403)
})

describe.each(queueBackends)('queues on $name', ({ name, url }) => {
  test('are reached at their address', async () => {
    const answer =
      name === 'redis' ? await askRedis(url, 'PING') : await query(url, 'select 1 as one')

    expect(answer).toEqual(name === 'redis' ? '+PONG' : [{ one: 1 }])
  })
})
