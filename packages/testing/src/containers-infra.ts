import { GenericContainer, Wait } from 'testcontainers'
import { type Carriers, shareInfra } from './infra.ts'
import { redisDatabases } from './redis.ts'

const postgresImage = process.env.TEST_POSTGRES_IMAGE ?? 'postgres:18-bookworm'
const redisImage = 'redis:7-bookworm'

export default shareInfra(startContainers)

/** Starts PostgreSQL and Redis in containers of the official images. */
async function startContainers(): Promise<Carriers> {
  const [postgres, redis] = await Promise.all([
    postgresContainer().start(),
    redisContainer().start(),
  ])
  const address = `${postgres.getHost()}:${postgres.getMappedPort(5432)}`
  return {
    postgresUrl: `postgresql://despatch:of-the-owner-in-tests@${address}/despatch`,
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()])
    },
  }
}

function postgresContainer() {
  return (
    new GenericContainer(postgresImage)
      .withEnvironment({
        POSTGRES_USER: 'despatch',
        POSTGRES_PASSWORD: 'of-the-owner-in-tests',
        POSTGRES_DB: 'despatch',
      })
      .withCommand(['postgres', '-c', 'max_connections=500', '-c', 'fsync=off'])
      .withExposedPorts(5432)
      // The image starts the server once for its setup, and then again permanently.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
  )
}

function redisContainer() {
  const databases = String(redisDatabases)
  return new GenericContainer(redisImage)
    .withCommand([
      'redis-server',
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
      '--databases',
      databases,
    ])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
}
