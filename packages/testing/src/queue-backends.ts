import { afterAll, inject } from 'vitest'
import { cloneDatabase } from './clone-database.ts'
import { byEffort } from './effort.ts'
import { askRedis, redisDatabases } from './redis.ts'
import { startRedisCluster } from './redis-cluster.ts'

export type QueueBackend = { name: 'postgres' | 'redis' | 'redis-cluster'; url: string }

/**
 * Returns the queue backends of one test file, for `describe.each`: a database and, if there is a Redis, one of its
 * numbered databases. A file must call this only once.
 */
export async function takeQueueBackends(): Promise<readonly QueueBackend[]> {
  const postgres = await takePostgres()
  const redis = await takeRedis()
  return redis ? [postgres, redis] : [postgres]
}

/** Returns all queue backends in the full loop, and one in the landing loop: this one if it is there. */
export async function takeQueueBackendsByEffort(
  landing: 'postgres' | 'redis',
): Promise<readonly QueueBackend[]> {
  const takeOne = async () =>
    (landing === 'redis' ? await takeRedis() : undefined) ?? (await takePostgres())
  return byEffort({ landing: async () => [await takeOne()], full: takeQueueBackends })()
}

/** Returns these and, in the full loop and if there is a redis-server, a Redis Cluster that only this file uses. */
export async function takeQueueBackendsWithCluster(): Promise<readonly QueueBackend[]> {
  const backends = await takeQueueBackends()
  const start = byEffort<typeof startRedisCluster>({
    landing: async () => undefined,
    full: startRedisCluster,
  })
  const cluster = await start()
  if (!cluster) return backends
  afterAll(() => cluster.stop())
  return [...backends, { name: 'redis-cluster', url: cluster.url }]
}

async function takePostgres(): Promise<QueueBackend> {
  const { url } = await cloneDatabase()
  return { name: 'postgres', url }
}

/** Redis counts the files: database 0 holds the count, and each file gets one of the others. Throws if none is left. */
async function takeRedis(): Promise<QueueBackend | undefined> {
  const { redisUrl } = inject('infra')
  if (!redisUrl) return undefined
  const answer = await askRedis(redisUrl, 'INCR databases-taken')
  const taken = Number(answer.slice(1))
  if (!(taken < redisDatabases)) throw new Error(`Redis has no database left: ${answer}`)
  return { name: 'redis', url: `${redisUrl}/${taken}` }
}
