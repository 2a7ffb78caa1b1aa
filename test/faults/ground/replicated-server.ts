import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findHome, findPrograms } from '@despatch/embedded/accessible-directory'
import { findFreePort } from '@despatch/embedded/free-port'
import { startPostgres } from '@despatch/embedded/postgres'
import { serverEnvironment } from '@despatch/embedded/postgres-cluster'
import { findPostgresPrograms } from '@despatch/embedded/postgres-programs'
import { chooseServerAccount, type ServerAccount } from '@despatch/embedded/server-account'
import { stopWhenWeDie } from '@despatch/embedded/watchdog'
import { eventually } from '@despatch/testing/eventually'
import {
  ask,
  copyTemplate,
  type DatabaseServer,
  makeOpenDirectory,
  makeTemplate,
} from './database-server.ts'

const connectionsMax = 300
const startDeadlineMs = 60_000
const replicaName = 'replica'

/**
 * Starts a PostgreSQL with a synchronous replica: both hold every commit. `restart` fails over: it kills the primary,
 * and promotes the replica after the absence. It works once.
 */
export async function startReplicatedServer(): Promise<DatabaseServer> {
  await using parts = new AsyncDisposableStack()
  const directory = await makeOpenDirectory()
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  const embedded = await startPostgres({ directory: join(directory, 'postgres'), connectionsMax })
  try {
    await makeTemplate(embedded.url)
  } finally {
    await embedded.stop()
  }
  const home = await findHome(join(directory, 'postgres'))
  const account = await chooseServerAccount(join(home, 'data'))
  const programs = await findPrograms(account, await findPostgresPrograms())
  const start = async (data: string, settings: readonly string[]) =>
    parts.use(await spawnServer({ data, programs, account, settings }))

  // A replica can start only from a server that has run at least once.
  const first = await spawnServer({ data: join(home, 'data'), programs, account, settings: [] })
  await first.kill('SIGINT')
  const replicaData = join(home, replicaName)
  await cp(join(home, 'data'), replicaData, { recursive: true, preserveTimestamps: true })
  await writeFile(join(replicaData, 'standby.signal'), '')
  await chmod(replicaData, 0o700)
  await ownAll(replicaData, account)
  const primary = await start(join(home, 'data'), [])
  const password = await readFile(join(home, 'password'), 'utf8')
  const urlAt = (port: number) => `postgresql://despatch:${password}@127.0.0.1:${port}/despatch`
  const replica = await start(replicaData, [
    `primary_conninfo=host=127.0.0.1 port=${primary.port} user=despatch password=${password} application_name=${replicaName}`,
  ])
  const target = { port: primary.port }
  await ask(urlAt(primary.port), async (query) => {
    await eventually(
      async () =>
        (await query(`select 1 from pg_stat_replication where state = 'streaming'`)).length === 1,
      { deadlineMs: startDeadlineMs, message: 'the replica follows the primary' },
    )
    await query(`alter system set synchronous_standby_names = '${replicaName}'`)
    await query('select pg_reload_conf()')
  })
  const ended = parts.move()
  return {
    target,
    directory,
    addDatabase: () => copyTemplate(urlAt(primary.port)),
    restart: async (absentMs) => {
      await primary.kill()
      await ask(urlAt(replica.port), async (query) => {
        await query(`select pg_sleep(${absentMs / 1_000})`)
        await query('select pg_promote()')
        await query(`alter system reset synchronous_standby_names`)
        await query('select pg_reload_conf()')
      })
      target.port = replica.port
    },
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

type Spawning = {
  data: string
  programs: string
  account: ServerAccount
  settings: readonly string[]
}
type Spawned = AsyncDisposable & { port: number; kill(signal?: NodeJS.Signals): Promise<void> }

/** Starts the server program directly, with replication, which the embedded server disables. */
async function spawnServer({ data, programs, account, settings }: Spawning): Promise<Spawned> {
  const port = await findFreePort()
  const all = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${connectionsMax}`,
    'shared_buffers=64MB',
    'jit=off',
    'wal_level=replica',
    'max_wal_senders=4',
    'hot_standby=on',
    'timezone=UTC',
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    ...settings,
  ]
  const server = spawn(
    join(programs, 'bin/postgres'),
    ['-D', data, ...all.flatMap((setting) => ['-c', setting])],
    {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: '/',
      env: serverEnvironment(),
      stdio: 'ignore',
      detached: true,
    },
  )
  stopWhenWeDie(server)
  const ended = once(server, 'exit')
  await eventually(() => isReady(server, data), {
    deadlineMs: startDeadlineMs,
    message: 'PostgreSQL takes connections',
  })
  const kill = async (signal: NodeJS.Signals = 'SIGQUIT') => {
    if (server.exitCode === null && server.signalCode === null) server.kill(signal)
    await ended
  }
  return { port, kill, [Symbol.asyncDispose]: () => kill() }
}

async function isReady(server: ChildProcess, data: string): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  return Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready'
}

/** Copies that root makes belong to root. */
async function ownAll(directory: string, account: ServerAccount): Promise<void> {
  if (!account) return
  const own = spawn('chown', ['-R', `${account.uid}:${account.gid}`, directory])
  await once(own, 'exit')
}
