import { Redis } from 'ioredis'
import { answerMsMaxDefault, isPostgres } from './backend.ts'

/** The only policy under which Redis loses no task. */
export const neededEvictionPolicy = 'noeviction'

/**
 * Returns the eviction policy of the carrier. Undefined if it is PostgreSQL, which evicts nothing, or if it does not
 * report one. Throws if it cannot be reached.
 */
export async function readEvictionPolicy(url: string): Promise<string | undefined> {
  if (isPostgres(url)) return undefined
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    retryStrategy: null,
    connectTimeout: answerMsMaxDefault,
    commandTimeout: answerMsMaxDefault,
    socketTimeout: answerMsMaxDefault,
  })
  // connect() rejects with the reason. Without a listener the same error would also be thrown.
  redis.on('error', () => {})
  try {
    await redis.connect().catch((cause) => {
      throw new Error('The Redis of QUEUE_URL cannot be reached', { cause })
    })
    const [, policy] = (await redis.config('GET', 'maxmemory-policy')) as string[]
    return policy
  } finally {
    redis.disconnect()
  }
}
