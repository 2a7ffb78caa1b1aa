import { openRedis, type RedisClient, type RedisNode } from '@despatch/redis/open-redis'
import { answerMsMaxDefault, isPostgres } from './backend.ts'

/** The only policy under which Redis loses no task. */
export const neededEvictionPolicy = 'noeviction'

/**
 * Returns the eviction policy of the carrier. If the nodes of a cluster have different ones, it is one that evicts.
 * Undefined if it is PostgreSQL, which evicts nothing, or if it does not report one. Throws if it cannot be reached.
 */
export async function readEvictionPolicy(url: string): Promise<string | undefined> {
  if (isPostgres(url)) return undefined
  const redis = openRedis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    reconnects: false,
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
    const policies = await Promise.all(nodesOf(redis).map(readPolicy))
    return policies.find((policy) => policy !== neededEvictionPolicy) ?? policies[0]
  } finally {
    redis.disconnect()
  }
}

function nodesOf(redis: RedisClient): RedisNode[] {
  return 'nodes' in redis ? redis.nodes('master') : [redis]
}

async function readPolicy(node: RedisNode): Promise<string | undefined> {
  const [, policy] = (await node.config('GET', 'maxmemory-policy')) as string[]
  return policy
}
