import { inject } from 'vitest'
import { cloneDatabase } from './clone-database.ts'
import { askRedis, redisDatabases } from './redis.ts'

export type QueueBackend = { name: 'postgres' | 'redis'; url: string }

/**
 * Returns the queue backends of one test file, for `describe.each`: a database and, if there is a Redis, one of its
 * numbered databases. Call it once per file.
 */
export async function takeQueueBackends(): Promise<readonly QueueBackend[]> {
  const { redisUrl } = inject('infra')
  const { url } = await cloneDatabase()
  const postgres = { name: 'postgres', url } as const
  if (!redisUrl) return [postgres]
  return [postgres, { name: 'redis', url: await takeRedisDatabase(redisUrl) }]
}

/** Redis itself counts the files: database 0 contains the counter, and each file gets one of the others. */
async function takeRedisDatabase(redisUrl: string): Promise<string> {
  const answer = await askRedis(redisUrl, 'INCR databases-taken')
  const taken = Number(answer.slice(1))
  if (!(taken < redisDatabases)) throw new Error(`Redis has no database left: ${answer}`)
  return `${redisUrl}/${taken}`
}
