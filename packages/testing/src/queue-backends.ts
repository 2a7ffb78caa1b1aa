import { afterAll, inject } from 'vitest'
import { cloneDatabase } from './clone-database.ts'
import { askRedis, redisDatabases } from './redis.ts'
import { startRedisCluster } from './redis-cluster.ts'

export type QueueBackend = { name: 'postgres' | 'redis' | 'redis-cluster'; url: string }

/**
 * Returns the queue backends of one test file, for `describe.each`: a database and, if there is a Redis, one of its
 * numbered databases. A file must call this only once.
 */
export async function takeQueueBackends(): Promise<readonly QueueBackend[]> {
  const { redisUrl } = inject('infra')
  const { url } = await cloneDatabase()
  const postgres = { name: 'postgres', url } as const
  if (!redisUrl) return [postgres]
  return [postgres, { name: 'redis', url: await takeRedisDatabase(redisUrl) }]
}

/** Returns these and, if there is a redis-server, a Redis Cluster that only this file uses. */
export async function takeQueueBackendsWithCluster(): Promise<readonly QueueBackend[]> {
  const backends = await takeQueueBackends()
  const cluster = await startRedisCluster()
  if (!cluster) return backends
  afterAll(() => cluster.stop())
  return [...backends, { name: 'redis-cluster', url: cluster.url }]
}

/** Redis counts the files: database 0 holds the count, and each file gets one of the others. Throws if none is left. */
async function takeRedisDatabase(redisUrl: string): Promise<string> {
  const answer = await askRedis(redisUrl, 'INCR databases-taken')
  const taken = Number(answer.slice(1))
  if (!(taken < redisDatabases)) throw new Error(`Redis has no database left: ${answer}`)
  return `${redisUrl}/${taken}`
}
