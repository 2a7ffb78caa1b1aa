import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '@despatch/embedded/postgres'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { startRedis } from '@despatch/testing/redis'
import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import { openObjectStore } from '../../load/ground.ts'
import { startProgram } from '../../load/program.ts'

/** A database, an object store and queues that can be lost, at addresses that stay when they come back. */
export type OutageGround = AsyncDisposable & {
  /** The settings by which a service finds them. */
  environment: Record<string, string> & { DATABASE_URL: string; DESPATCH_SECRET_KEY: string }
  objectStore: Pick<TcpProxy, 'refuse' | 'hang' | 'resume'>
  /**
   * Ends PostgreSQL at once, as a crash does, or kills Redis, and starts it again after the absence. Redis comes back
   * empty; queues on PostgreSQL have none.
   */
  restart(dependency: 'database' | 'queue', absentMs: number): Promise<void>
  /** Cuts the connection over which intake saves its next letters, when they are committed. Settles then. */
  loseSavedReply(): Promise<void>
}

const connectionsMax = 200
const holdMs = 60_000
/** How the names of the statements begin that save letters. */
const savingStatement = 'save-submission'

/** Starts them with their data in a temporary directory, each behind a proxy. PostgreSQL keeps what it has committed. */
export async function openOutageGround(options: {
  queue: 'postgres' | 'redis'
  /** Where the object store writes its log. */
  logDirectory: string
}): Promise<OutageGround> {
  await using parts = new AsyncDisposableStack()
  // The servers do not hold the process, which must not end before they have.
  const hold = setInterval(() => {}, holdMs)
  parts.defer(() => clearInterval(hold))
  const directory = await mkdtemp(join(tmpdir(), 'despatch-outage-'))
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  // As root, the account that PostgreSQL runs as has to come in.
  await chmod(directory, 0o711)

  const database = await startDatabase(parts, join(directory, 'postgres'))
  await migrate(database.url)
  const redis = options.queue === 'redis' ? await startQueue(parts) : undefined
  const queueUrl = redis?.url ?? database.url
  await prepareQueues(queueUrl)

  const { S3_ENDPOINT, ...objectStore } = await openObjectStore(async (script, options_) => {
    const { environment = {}, isReady } = options_
    const program = await startProgram({
      script,
      environment,
      isReady,
      nodeFlags: [],
      directory: options.logDirectory,
    })
    parts.defer(() => program.stop())
    return program
  }, directory)
  const objects = parts.use(await startTcpProxy({ port: Number(new URL(S3_ENDPOINT).port) }))

  const ended = parts.move()
  return {
    environment: {
      DATABASE_URL: database.url,
      QUEUE_URL: queueUrl,
      DESPATCH_SECRET_KEY: randomBytes(32).toString('hex'),
      ...objectStore,
      S3_ENDPOINT: `http://127.0.0.1:${objects.port}`,
    },
    objectStore: objects,
    restart: async (dependency, absentMs) =>
      (dependency === 'database' ? database : redis)?.restart(absentMs),
    loseSavedReply: () =>
      database.proxy.loseReply({ request: (bytes) => bytes.includes(savingStatement) }),
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

type Restartable = { url: string; proxy: TcpProxy; restart(absentMs: number): Promise<void> }

async function startDatabase(parts: AsyncDisposableStack, directory: string): Promise<Restartable> {
  let postgres = await startPostgres({ directory, connectionsMax })
  parts.defer(() => postgres.stop())
  // Read at each connection: a server that is started again has another port.
  const target = { port: postgres.port }
  const proxy = parts.use(await startTcpProxy(target))
  let processId = await findServerProcess(postgres.url)
  return {
    url: proxy.through(postgres.url),
    proxy,
    restart: async (absentMs) => {
      process.kill(processId, 'SIGQUIT')
      await postgres.stop()
      await pause(absentMs)
      postgres = await startPostgres({ directory, connectionsMax })
      processId = await findServerProcess(postgres.url)
      target.port = postgres.port
    },
  }
}

async function findServerProcess(url: string): Promise<number> {
  const { pool, close } = openDatabase(url, { name: 'faults', connectionsMax: 1 })
  try {
    const { rows } = await pool.query<{ id: number }>(
      `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as id`,
    )
    return rows[0]!.id
  } finally {
    await close()
  }
}

async function startQueue(parts: AsyncDisposableStack): Promise<Restartable> {
  let redis = await startRedisServer()
  parts.defer(() => redis.stop())
  const target = { port: portOf(redis.url) }
  const proxy = parts.use(await startTcpProxy(target))
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    proxy,
    restart: async (absentMs) => {
      // Stops it with SIGKILL: it keeps nothing.
      await redis.stop()
      await pause(absentMs)
      redis = await startRedisServer()
      target.port = portOf(redis.url)
    },
  }
}

async function startRedisServer() {
  const redis = await startRedis()
  if (!redis) throw new Error('--queue redis requires redis-server on the PATH')
  return redis
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
