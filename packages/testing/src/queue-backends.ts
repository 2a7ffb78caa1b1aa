import { inject } from 'vitest'
import { cloneDatabase } from './clone-database.ts'
import { askRedis, redisDatabases } from './redis.ts'

export type QueueBackend = { name: 'postgres' | 'redis'; url: string }

/**
 * What the queues of one test file run on, for `describe.each`: a database and, where there is a Redis, a numbered
 * database of it. A file takes them once.
 */
export async function takeQueueBackends(): Promise<readonly QueueBackend[]> {
  const { redisUrl } = inject('infra')
  const { url } = await cloneDatabase()
  const postgres = { name: 'postgres', url } as const
  if (!redisUrl) return [postgres]
  return [postgres, { name: 'redis', url: await takeRedisDatabase(redisUrl) }]
}

/** Redis itself counts the files: database 0 holds the count, the others are given out. */
async function takeRedisDatabase(redisUrl: string): Promise<string> {
  const answer = await askRedis(redisUrl, 'INCR databases-taken')
  const taken = Number(answer.slice(1))
  if (!(taken < redisDatabases)) throw new Error(`Redis has no database left: ${answer}`)
  return `${redisUrl}/${taken}`
}
