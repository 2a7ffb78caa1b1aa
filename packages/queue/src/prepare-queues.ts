import { runMigrations } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { isPostgres, schema } from './backend.ts'

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
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: null })
  // connect() rejects with the reason; without a listener the same error would also be thrown.
  redis.on('error', () => {})
  try {
    await redis.connect().catch((cause) => {
      throw new Error('The Redis of QUEUE_URL cannot be reached', { cause })
    })
    const [, policy] = (await redis.config('GET', 'maxmemory-policy')) as string[]
    if (policy !== undefined && policy !== 'noeviction') {
      throw new Error(`Redis has maxmemory-policy ${policy}; the queues need noeviction`)
    }
  } finally {
    redis.disconnect()
  }
}
