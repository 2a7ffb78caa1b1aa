import { eventually } from '@despatch/testing/eventually'
import { Redis } from 'ioredis'
import pg from 'pg'

/** Throws away all that is in the queues, whatever they run on. */
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
  // Workers hold and want the same tables: of a deadlock one is ended, which may be this.
  await eventually(() => client.query(`truncate ${tables}`), { message: 'the queues are wiped' })
  await client.end()
}
