import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveKeys } from '@despatch/config/service-keys'
import { findFreePort } from '@despatch/embedded/free-port'
import { startPostgres } from '@despatch/embedded/postgres'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { type Database, openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { type Redis, startRedis } from '@despatch/testing/redis'
import { answersTcp, type Program, startProgram } from './program.ts'

/** The servers that both sides of a comparison use, and the means to start programs. */
export type Ground = {
  databaseUrl: string
  /** The queues of both sides. */
  queueUrl: string
  /** Present if the queues are in Redis, or a rival's are. */
  redis: Redis | undefined
  objectStore: Program
  /** The settings by which a service finds the database, the queues and the object store. */
  environment: Record<string, string>
  /** For files of a bench. Deleted with the ground. */
  directory: string
  /** Starts a program of this tree as a separate process, which ends with the ground. */
  start(script: string, options?: StartOptions): Promise<Program>
  /** Starts a program that listens on a free port, with the settings of the services. */
  serve(script: string, options?: Omit<StartOptions, 'isReady'>): Promise<Served>
  signal: AbortSignal
  tell(line: string): void
  close(): Promise<void>
}

export type Served = { program: Program; origin: string }

export type StartOptions = {
  environment?: Record<string, string>
  /** Absent: the program sends a message when it is ready. */
  isReady?: () => Promise<boolean>
  nodeFlags?: readonly string[]
}

type Options = {
  settings: { queue: 'postgres' | 'redis' }
  /** Starts Redis although our queues are in PostgreSQL, if it is on the PATH. */
  withRedis?: boolean
  signal: AbortSignal
  tell(line: string): void
}

const connectionsMax = 200
const holdMs = 60_000

/**
 * Starts a durable PostgreSQL, the embedded object store in a separate process and, if requested, Redis. All use free
 * ports of 127.0.0.1 and keep their data in a temporary directory, which `close` removes.
 */
export async function openGround({
  settings: { queue },
  withRedis = queue === 'redis',
  signal,
  tell,
}: Options): Promise<Ground> {
  const parts = new AsyncDisposableStack()
  try {
    // The servers do not keep this process alive, but this process must not end before them.
    const hold = setInterval(() => {}, holdMs)
    parts.defer(() => clearInterval(hold))
    const directory = await mkdtemp(join(tmpdir(), 'despatch-bench-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    // Under root, the account of PostgreSQL must be able to enter the directory.
    await chmod(directory, 0o711)

    tell('starting PostgreSQL (durable), the object store and the queues')
    const postgres = await startPostgres({ directory: join(directory, 'postgres'), connectionsMax })
    parts.defer(() => postgres.stop())
    await migrate(postgres.url)
    const redis = withRedis ? await startRedis() : undefined
    if (redis) parts.defer(() => redis.stop())
    const queueUrl = queue === 'redis' ? redis?.url : postgres.url
    if (!queueUrl) throw new Error('--queue redis wants redis-server on the PATH')
    await prepareQueues(queueUrl)

    const start = async (script: string, options: StartOptions = {}) => {
      const { environment = {}, isReady, nodeFlags = [] } = options
      signal.throwIfAborted()
      const program = await startProgram({ script, environment, isReady, nodeFlags, directory })
      parts.defer(() => program.stop())
      return program
    }
    const { program: objectStore, environment: access } = await openObjectStore(start, directory)
    signal.throwIfAborted()
    const environment: Record<string, string> = {
      DATABASE_URL: postgres.url,
      QUEUE_URL: queueUrl,
      ...deriveKeys(randomBytes(32).toString('hex')),
      // no load balancer has to notice that a service stops
      DESPATCH_STOP_DELAY_MS: '0',
      ...access,
    }
    return {
      databaseUrl: postgres.url,
      queueUrl,
      redis,
      objectStore,
      environment,
      directory,
      start,
      serve: async (script, { environment: own, ...options } = {}) => {
        const port = await findFreePort()
        const settings = { ...environment, ...own, PORT: String(port) }
        const isReady = () => answersTcp(port)
        const program = await start(script, { ...options, environment: settings, isReady })
        return { program, origin: `http://127.0.0.1:${port}` }
      },
      signal,
      tell,
      close: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

/** Returns the ground with a new database of the same server, for the services that are started with it. */
export async function onNewDatabase(ground: Ground, name: string): Promise<Ground> {
  await withDatabase(ground, { connectionsMax: 1 }, ({ pool }) =>
    pool.query(`create database ${name}`),
  )
  const url = new URL(ground.databaseUrl)
  url.pathname = `/${name}`
  const databaseUrl = url.href
  await migrate(databaseUrl)
  const environment = { ...ground.environment, DATABASE_URL: databaseUrl }
  return {
    ...ground,
    databaseUrl,
    environment,
    serve: (script, { environment: own, ...options } = {}) =>
      ground.serve(script, { ...options, environment: { ...environment, ...own } }),
  }
}

/**
 * Starts the embedded object store with its data in the directory. Returns the settings by which a service finds it.
 */
export async function openObjectStore(start: Ground['start'], directory: string) {
  const port = await findFreePort()
  const access = {
    S3_BUCKET: 'despatch',
    S3_ACCESS_KEY_ID: 'DESPATCHBENCH',
    S3_SECRET_ACCESS_KEY: randomBytes(30).toString('base64url'),
  }
  const program = await start('packages/embedded/src/object-store-main.ts', {
    environment: { ...access, PORT: String(port), S3_DIRECTORY: join(directory, 'objects') },
    isReady: () => answersTcp(port),
  })
  return { program, environment: { ...access, S3_ENDPOINT: `http://127.0.0.1:${port}` } }
}

/** Opens the database of a bench for the time of its work. */
export async function withDatabase<Result>(
  { databaseUrl }: Pick<Ground, 'databaseUrl'>,
  options: { connectionsMax: number; statementTimeoutMs?: number },
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(databaseUrl, { name: 'bench', ...options })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
