import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '@despatch/embedded/postgres'
import pg from 'pg'
import { type Carriers, shareInfra } from './infra.ts'
import { startRedis } from './redis.ts'

const connectionsMax = 500
const everybody = 0o1777
const readable = 0o644

/**
 * An account that may open the socket file needs no password. To check one is an eighth of the cost of a session that
 * does nothing, and a run has some thousand sessions.
 */
const accessRules = `local all all trust
host all all 127.0.0.1/32 scram-sha-256
`

export default shareInfra(startEmbeddedCarriers)

/** Starts PostgreSQL and, if this machine has one, Redis. Neither forces data to disk. */
async function startEmbeddedCarriers(directory: string): Promise<Carriers> {
  const sockets = join(directory, 'sockets')
  await mkdir(sockets)
  await chmod(sockets, everybody)
  const access = join(directory, 'pg_hba.conf')
  await writeFile(access, accessRules)
  await chmod(access, readable)
  const [postgres, redis] = await Promise.all([
    startPostgres({
      directory: join(directory, 'postgres'),
      durable: false,
      connectionsMax,
      settings: [
        `unix_socket_directories=${sockets}`,
        'unix_socket_permissions=0700',
        `hba_file=${access}`,
        'scram_iterations=1',
      ],
    }),
    startRedis(),
  ])
  await hashPasswordAgain(postgres.url)
  if (!redis) {
    console.warn(
      'Redis suites are skipped: there is no redis-server on the PATH (apt-get install redis-server)',
    )
  }
  return {
    postgresUrl: throughSocket(postgres.url, sockets),
    redisUrl: redis?.url,
    async stop() {
      await Promise.all([postgres.stop(), redis?.stop()])
    },
  }
}

/** A run opens some thousand connections. Its passwords are no secrets, so they are hashed once instead of 4,096 times. */
async function hashPasswordAgain(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`alter role ${username} password '${decodeURIComponent(password)}'`)
  await client.end()
}

/**
 * Returns the address with a socket file in place of the host: a round trip over TCP takes three times as long. The
 * port stays, since it names the file, and proxies connect to it.
 */
function throughSocket(url: string, directory: string): string {
  const local = new URL(url)
  local.hostname = encodeURIComponent(directory)
  return local.href
}
