import { BoundedClient } from '@despatch/postgres/bounded-client'
import { runMigrations } from 'bullmq'
import { isPostgres, schema } from './backend.ts'
import { neededEvictionPolicy, readEvictionPolicy } from './eviction-policy.ts'
import { grantQueues } from './queue-grants.ts'
import { queueNames } from './queues.ts'

/** Allows for one migration of the queues, and for another process that migrates first. */
const silenceMsMax = 600_000

/**
 * Prepares the carrier of the queues. On PostgreSQL it runs BullMQ's migrations, and lets the roles of the services use
 * the queues. On Redis it checks the eviction policy and throws if Redis may evict tasks. Safe to repeat.
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
  // The error that breaks the connection also rejects the waiting statement.
  client.on('error', () => {})
  await client.connect()
  try {
    await runMigrations(client, schema)
    // BullMQ creates the sequence of a queue at its first tasks, which the services may not
    for (const name of queueNames) await client.query(`select ${schema}.next_job_id($1)`, [name])
    await grantQueues(client)
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
