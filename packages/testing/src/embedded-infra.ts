import { join } from 'node:path'
import { startPostgres } from '@despatch/embedded/postgres'
import { type Carriers, shareInfra } from './infra.ts'
import { startRedis } from './redis.ts'

const connectionsMax = 500

export default shareInfra(startEmbeddedCarriers)

/** Starts PostgreSQL and, if this machine has one, Redis. Neither forces anything to disk. */
async function startEmbeddedCarriers(directory: string): Promise<Carriers> {
  const [postgres, redis] = await Promise.all([
    startPostgres({ directory: join(directory, 'postgres'), durable: false, connectionsMax }),
    startRedis(),
  ])
  if (!redis) {
    console.warn(
      'Redis suites are skipped: there is no redis-server on the PATH (apt-get install redis-server)',
    )
  }
  return {
    postgresUrl: postgres.url,
    redisUrl: redis?.url,
    async stop() {
      await Promise.all([postgres.stop(), redis?.stop()])
    },
  }
}
