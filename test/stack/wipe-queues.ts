import { eventually } from '@despatch/testing/eventually'
import { Redis } from 'ioredis'
import pg from 'pg'

/** Deletes everything in the queues, on either queue backend. */
export async function wipeQueues(url: string): Promise<void> {
  if (url.startsWith('redis')) {
    const redis = new Redis(url)
    await redis.flushdb()
    redis.disconnect()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'bullmq' and tablename not like '%migration%'`,
  )
  const tables = rows.map((row) => `bullmq.${row.name}`).join(', ')
  // Workers use the same tables. PostgreSQL resolves a deadlock by ending one session, which may be this one.
  await eventually(() => client.query(`truncate ${tables}`), { message: 'the queues are wiped' })
  await client.end()
}
