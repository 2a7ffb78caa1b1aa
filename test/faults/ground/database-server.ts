import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '@despatch/embedded/postgres'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { openDatabase } from '@despatch/store/database'
import { type Migration, migrate } from '@despatch/store/migrate'
import { scratchFolder } from '@despatch/testing/scratch-folder'
import { installRecorder } from '../facts/changes.ts'

/** A durable PostgreSQL that can crash. Its databases survive the crash. */
export type DatabaseServer = AsyncDisposable & {
  /** The current port. It changes after a crash. */
  target: { port: number }
  /** For files that several runs share. Deleted with the server. */
  directory: string
  /** The source tree of the release whose migrations its databases have. Absent: this tree. */
  releaseTree?: string
  /** Creates a migrated database with the queues' tables and the recorder of changes. Returns its current address. */
  addDatabase(): Promise<string>
  /** Stops it immediately, as a crash does, and starts it again after `absentMs` milliseconds. */
  restart(absentMs: number): Promise<void>
}

const connectionsMax = 300

/**
 * Starts the server with its data in a directory that is deleted with it. Default: a temporary directory. If
 * `migrations` is given, its databases have only these migrations.
 */
export async function startDatabaseServer({
  makeDirectory = makeOpenDirectory,
  migrations,
}: {
  makeDirectory?: () => Promise<string>
  migrations?: readonly Migration[]
} = {}): Promise<DatabaseServer> {
  const directory = await makeDirectory()
  // The server does not keep this process alive, but this process must not end before the server.
  const hold = setInterval(() => {}, holdMs)
  const start = () => startPostgres({ directory: join(directory, 'postgres'), connectionsMax })
  let postgres = await start()
  const target = { port: postgres.port }
  const stop = async () => {
    await postgres.stop()
    clearInterval(hold)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await makeTemplate(postgres.url, migrations)
    return {
      target,
      directory,
      addDatabase: () => copyTemplate(postgres.url),
      restart: async (absentMs) => {
        const { id } = await ask(postgres.url, async (query) => (await query(serverProcess))[0]!)
        process.kill(Number(id), 'SIGQUIT')
        await postgres.stop()
        await pause(absentMs)
        postgres = await start()
        target.port = postgres.port
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Migrates the database at this address, so that the databases of runs can be copied from it. */
export async function makeTemplate(url: string, migrations?: readonly Migration[]): Promise<void> {
  await migrate(url, migrations ? { migrations } : {})
  await prepareQueues(url)
  await installRecorder(url)
}

/** Creates a database for a run as a copy of the template. Returns its address. */
export async function copyTemplate(url: string): Promise<string> {
  const name = `run_${randomBytes(6).toString('hex')}`
  const template = new URL(url).pathname.slice(1)
  await ask(postgresUrl(url, 'postgres'), (query) =>
    query(`create database ${name} template ${template}`),
  )
  return postgresUrl(url, name)
}

/** Creates a temporary directory that another account can enter: under root, PostgreSQL runs as another account. */
export async function makeOpenDirectory(): Promise<string> {
  const directory = await mkdtemp(join(scratchFolder(), 'despatch-faults-'))
  await chmod(directory, 0o711)
  return directory
}

const holdMs = 60_000
const serverProcess = `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as id`

function postgresUrl(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

type Query = (text: string) => Promise<Record<string, unknown>[]>

export async function ask<Answer>(url: string, question: (query: Query) => Promise<Answer>) {
  const { pool, close } = openDatabase(url, { name: 'faults', connectionsMax: 1 })
  try {
    return await question(async (text) => (await pool.query(text)).rows)
  } finally {
    await close()
  }
}
