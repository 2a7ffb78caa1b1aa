import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'
import { type PostgresCluster, serverEnvironment } from './postgres-cluster.ts'
import { readStatus, stopLeftoverServer } from './postgres-leftover.ts'
import type { ServerAccount } from './server-account.ts'
import { stopWhenWeDie } from './watchdog.ts'

export type PostgresServer = { port: number; stop(): Promise<void> }

type Start = {
  cluster: PostgresCluster
  programs: string
  account: ServerAccount
  durable: boolean
  connectionsMax: number
  log: (line: string) => void
}

const portAttemptsMax = 3
const startDeadlineMs = 120_000
const stopDeadlineMs = 15_000
const pollMs = 10

/** Starts the server on a free port of 127.0.0.1. Throws with the end of its log when it does not come up. */
export async function startServer(start: Start): Promise<PostgresServer> {
  await stopLeftoverServer(start.cluster.data, start.log)
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort()
    const server = await spawnServer(start, port)
    if (await isReady(server, start.cluster)) return guard(server, port, start)

    const log = (await readFile(start.cluster.log, 'utf8')).trim()
    if (attempt < portAttemptsMax && log.includes('could not bind')) continue
    const end = log.split('\n').slice(-5).join('\n')
    throw new Error(`PostgreSQL did not start in ${start.cluster.data}:\n${end}`)
  }
}

async function spawnServer(start: Start, port: number): Promise<ChildProcess> {
  const { cluster, programs, account } = start
  const log = await open(cluster.log, 'w', 0o600)
  try {
    const server = spawn(
      join(programs, 'bin/postgres'),
      ['-D', cluster.data, ...settings(start, port).flatMap((setting) => ['-c', setting])],
      {
        ...(account && { uid: account.uid, gid: account.gid }),
        cwd: '/',
        env: serverEnvironment(),
        stdio: ['ignore', log.fd, log.fd],
        // A session of its own: Ctrl-C is for us, who stop what uses the database before it.
        detached: true,
      },
    )
    server.unref()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('spawn', resolve)
    server.once('error', reject)
    await promise
    return server
  } finally {
    await log.close()
  }
}

function settings({ durable, connectionsMax }: Start, port: number): string[] {
  const always = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${connectionsMax}`,
    // For a small machine: little memory, few helpers.
    'shared_buffers=64MB',
    'max_wal_size=512MB',
    'max_parallel_workers_per_gather=0',
    'io_method=sync',
    'jit=off',
    // Nobody replicates from it.
    'wal_level=minimal',
    'max_wal_senders=0',
    'timezone=UTC',
    'log_timezone=UTC',
    // Statements and key values hold names and addresses, which never reach a log.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
  ]
  return durable
    ? always
    : [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
}

/** Waits until the server writes that it takes connections; false: it ended instead. */
async function isReady(server: ChildProcess, { data }: PostgresCluster): Promise<boolean> {
  const deadline = Date.now() + startDeadlineMs
  while (server.exitCode === null && server.signalCode === null) {
    const status = await readStatus(data)
    if (status.pid === server.pid && status.state === 'ready') return true
    if (Date.now() > deadline) {
      server.kill('SIGQUIT')
      return false
    }
    await pause(pollMs)
  }
  return false
}

function guard(server: ChildProcess, port: number, { durable, log }: Start): PostgresServer {
  stopWhenWeDie(server)
  let stopping = false
  const ended = new Promise<void>((resolve) => {
    server.once('exit', (code, signal) => {
      if (!stopping) log(`PostgreSQL ended by itself: ${signal ?? `exit code ${code}`}`)
      resolve()
    })
  })
  return {
    port,
    async stop() {
      stopping = true
      if (server.exitCode !== null || server.signalCode !== null) return
      // SIGINT ends sessions and writes everything out; SIGQUIT leaves data that nobody wants.
      server.kill(durable ? 'SIGINT' : 'SIGQUIT')
      const late = setTimeout(() => server.kill('SIGQUIT'), stopDeadlineMs)
      await ended
      clearTimeout(late)
    },
  }
}
