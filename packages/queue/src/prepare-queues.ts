import { runMigrations } from 'bullmq'
import pg from 'pg'
import { isPostgres, schema } from './backend.ts'
import { neededEvictionPolicy, readEvictionPolicy } from './eviction-policy.ts'

/**
 * Makes the carrier of the queues ready: on PostgreSQL runs BullMQ's migrations; on Redis checks that it will not
 * evict tasks. Safe to repeat. Throws when Redis is set to evict.
 */
export async function prepareQueues(url: string): Promise<void> {
  if (isPostgres(url)) await migratePostgres(url)
  else await refuseEvictingRedis(url)
}

async function migratePostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'migrate queues' })
  await client.connect()
  try {
    await runMigrations(client, schema)
  } finally {
    await client.end()
  }
}

async function refuseEvictingRedis(url: string): Promise<void> {
  const policy = await readEvictionPolicy(url)
  if (policy !== undefined && policy !== neededEvictionPolicy) {
    throw new Error(`Redis has maxmemory-policy ${policy}; the queues need ${neededEvictionPolicy}`)
  }
}
