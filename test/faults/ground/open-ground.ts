import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keysOfRoot } from '@despatch/config/keys-of-root'
import { startRedis } from '@despatch/testing/redis'
import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import { openObjectStore } from '../../load/ground.ts'
import { startProgram } from '../../load/program.ts'
import { type DatabaseServer, makeOpenDirectory } from './database-server.ts'

const dependencies = ['database', 'queue', 'object-store'] as const
export type Dependency = (typeof dependencies)[number]

/** The connections of one process to each dependency. They can be held, cut and stopped at an exact moment. */
export type Links = Readonly<Record<Dependency, TcpProxy>>

/** A database, queues and an object store that can be lost. Their addresses do not change when they come back. */
export type Ground = AsyncDisposable & {
  queue: 'postgres' | 'redis'
  /** Creates the links of a process, and the settings that make the process use them. */
  link(): Promise<{ links: Links; environment: LinkedEnvironment }>
  /** Applies the same fault to the links of all processes. */
  toAll(dependency: Dependency, fault: 'refuse' | 'hang' | 'resume'): void
  /**
   * Stops PostgreSQL immediately, as a crash does, or kills Redis, and starts it again after `absentMs` milliseconds.
   * Redis comes back with what it had on disk, or with `empty-queue` with nothing. Queues on PostgreSQL have no server
   * of their own.
   */
  restart(what: 'database' | 'queue' | 'empty-queue', absentMs: number): Promise<void>
  /** Makes all links lead to another server on this machine. Open connections remain until they are cut. */
  retarget(dependency: Dependency, port: number): void
  /** The address of the queues, without a link. */
  queueUrl(): string
  /** For files of a run. Deleted with the ground. */
  directory: string
}

export type LinkedEnvironment = Record<string, string> & {
  DATABASE_URL: string
  QUEUE_URL: string
  DESPATCH_KEY_SIGNING: string
}

export type GroundOptions = {
  queue: 'postgres' | 'redis'
  server: DatabaseServer
  /** The directory of the object store's log. */
  logDirectory: string
}

/** Creates a database on the server, and starts an object store and, if the queues are on Redis, Redis. */
export async function openGround({ queue, server, logDirectory }: GroundOptions): Promise<Ground> {
  await using parts = new AsyncDisposableStack()
  const directory = await makeOpenDirectory()
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  const databaseUrl = await server.addDatabase()
  const redis =
    queue === 'redis' ? parts.use(await startQueueServer(join(directory, 'redis'))) : undefined
  const { environment: objectStoreAccess } = await openObjectStore(async (script, options = {}) => {
    const { environment = {}, isReady } = options
    const program = await startProgram({
      script,
      environment,
      isReady,
      nodeFlags: [],
      directory: logDirectory,
    })
    parts.defer(() => program.stop())
    return program
  }, directory)
  const { S3_ENDPOINT, ...objectStore } = objectStoreAccess
  const root = randomBytes(32).toString('hex')
  const derived = keysOfRoot(root)
  const keys = { ...derived, DESPATCH_KEY_SIGNING: derived.DESPATCH_KEY_SIGNING! }
  // Each new connection reads its target from here.
  const targets: Record<Dependency, { port: number }> = {
    database: server.target,
    queue: redis?.target ?? server.target,
    'object-store': { port: portOf(S3_ENDPOINT) },
  }
  const queueServerUrl = () => (redis ? `redis://127.0.0.1:${redis.target.port}` : databaseUrl)
  const open: Links[] = []

  const ended = parts.move()
  return {
    queue,
    directory,
    queueUrl: () => withPort(queueServerUrl(), targets.queue.port),
    link: async () => {
      const start = async (dependency: Dependency) => {
        const via = await startTcpProxy({
          get port() {
            return targets[dependency].port
          },
        })
        return ended.use(via)
      }
      const links: Links = {
        database: await start('database'),
        queue: await start('queue'),
        'object-store': await start('object-store'),
      }
      open.push(links)
      return {
        links,
        environment: {
          DATABASE_URL: links.database.through(databaseUrl),
          QUEUE_URL: links.queue.through(queueServerUrl()),
          ...keys,
          ...objectStore,
          S3_ENDPOINT: `http://127.0.0.1:${links['object-store'].port}`,
        },
      }
    },
    toAll: (dependency, fault) => {
      for (const links of open) links[dependency][fault]()
    },
    retarget: (dependency, port) => {
      targets[dependency] = { port }
    },
    restart: async (what, absentMs) => {
      if (what === 'database') await server.restart(absentMs)
      else await redis?.restart(absentMs, { isEmpty: what === 'empty-queue' })
    },
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

type QueueServer = AsyncDisposable & {
  target: { port: number }
  restart(absentMs: number, options: { isEmpty: boolean }): Promise<void>
}

async function startQueueServer(directory: string): Promise<QueueServer> {
  let redis = await startRedisServer(directory)
  const target = { port: portOf(redis.url) }
  return {
    target,
    restart: async (absentMs, { isEmpty }) => {
      await redis.stop()
      await pause(absentMs)
      if (isEmpty) await rm(directory, { recursive: true })
      redis = await startRedisServer(directory)
      target.port = portOf(redis.url)
    },
    [Symbol.asyncDispose]: () => redis.stop(),
  }
}

async function startRedisServer(directory: string) {
  await mkdir(directory, { recursive: true })
  const redis = await startRedis({ directory })
  if (!redis) throw new Error('--queue redis requires redis-server on the PATH')
  return redis
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function withPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}
