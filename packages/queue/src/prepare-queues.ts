import { BoundedClient } from '@despatch/postgres/bounded-client'
import { runMigrations } from 'bullmq'
import { isPostgres, schema } from './backend.ts'
import { neededEvictionPolicy, readEvictionPolicy } from './eviction-policy.ts'

/** For one migration of the queues, and for the process that migrates before this one. */
const silenceMsMax = 600_000

/**
 * Makes the carrier of the queues ready: on PostgreSQL runs BullMQ's migrations; on Redis checks that it will not
 * evict tasks. Safe to repeat. Throws when Redis is set to evict.
 */
export async function prepareQueues(url: string): Promise<void> {
  if (isPostgres(url)) await migratePostgres(url)
  else await refuseEvictingRedis(url)
}

async function migratePostgres(url: string): Promise<void> {
  const client = new BoundedClient({
    connectionString: url,
    application_name: 'migrate queues',
    silenceMsMax,
  })
  // what breaks the connection fails the statement that waits
  client.on('error', () => {})
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
