import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { findHome, findPrograms, makeHome } from './accessible-directory.ts'
import { lockDirectory } from './directory-lock.ts'
import { keepRunning } from './keep-running.ts'
import { openCluster, superuser } from './postgres-cluster.ts'
import { findPostgresPrograms } from './postgres-programs.ts'
import { isDiskFull, startServer } from './postgres-server.ts'
import { chooseServerAccount } from './server-account.ts'

export type EmbeddedPostgres = {
  /** The address of the database `despatch`, with the superuser's name and password. */
  url: string
  port: number
  /** Resolves when the server has ended unexpectedly and could not be restarted. */
  failed: Promise<Error>
  stop(): Promise<void>
}

type Options = {
  /** Where the data is stored between starts. Only one process at a time may use it. */
  directory: string
  /** false: nothing is forced to disk, and a crash loses the data. For tests. */
  durable?: boolean
  connectionsMax?: number
  /** Settings of the server that override the defaults, such as those of an archive: `name=value`. */
  settings?: readonly string[]
  /**
   * Receives a line when the server ends unexpectedly, when it runs again, and when a server of an earlier start is
   * stopped.
   */
  log?: (line: string) => void
}

const database = 'despatch'

/**
 * Starts a real PostgreSQL on a free port of 127.0.0.1, with its data in the given directory. It stops with `stop()`,
 * and automatically when this process dies. A server that an earlier start left running is stopped first. A server that
 * ends unexpectedly is restarted on the same port with the same data. Throws if the directory is in use, or with the
 * server's last error message.
 */
export async function startPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { durable = true, connectionsMax = 100, settings = [], log = () => {} } = options
  const directory = resolve(options.directory)
  await mkdir(directory, { recursive: true, mode: 0o711 })
  const account = await chooseServerAccount(join(await findHome(directory), 'data'))
  await using parts = new AsyncDisposableStack()
  parts.adopt(await lockDirectory(directory), (lock) => lock.release())
  const programs = await findPrograms(account, await findPostgresPrograms())
  const home = await makeHome(account, directory)
  // The link to the home is in the directory. Once the directory is deleted, nothing could find the home.
  if (!durable && home !== directory) {
    parts.defer(() => rm(home, { recursive: true, force: true }))
  }
  const cluster = await openCluster({ home, programs, account, durable })
  const start = { cluster, programs, account, durable, connectionsMax, settings, log }
  const first = await startServer(start)
  const { port } = first
  const server = parts.adopt(
    keepRunning({
      name: 'PostgreSQL',
      first,
      again: () => startServer({ ...start, port }),
      isDiskFull: (reason) => isDiskFull(cluster.data, reason),
      log,
    }),
    (kept) => kept.stop(),
  )
  const address = `postgresql://${superuser}:${cluster.password}@127.0.0.1:${port}`
  await createDatabase(`${address}/postgres`)
  const opened = parts.move()
  const stop = () => opened.disposeAsync()
  return { url: `${address}/${database}`, port, failed: server.failed, stop }
}

async function createDatabase(administrationUrl: string) {
  const client = new pg.Client({ connectionString: administrationUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      database,
    ])
    if (rowCount === 0) await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
}
