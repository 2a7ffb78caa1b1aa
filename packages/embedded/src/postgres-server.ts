import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'
import { type PostgresCluster, serverEnvironment } from './postgres-cluster.ts'
import { readStatus, stopLeftoverServer } from './postgres-leftover.ts'
import type { ServerAccount } from './server-account.ts'
import { stopWhenWeDie } from './watchdog.ts'

type PostgresServer = {
  port: number
  /** Resolves when the server ends without `stop`, with its exit status and its last error message. */
  ended: Promise<string>
  stop(): Promise<void>
}

type PostgresStart = {
  cluster: PostgresCluster
  programs: string
  account: ServerAccount
  durable: boolean
  connectionsMax: number
  /** Settings that override the defaults: `name=value`. */
  settings: readonly string[]
  /** Without a port the server uses a free one. */
  port?: number
  log: (line: string) => void
}

const portAttemptsMax = 3
const startDeadlineMs = 120_000
const stopDeadlineMs = 15_000
const pollMs = 10
/**
 * Matches messages that explain why the server ended: any PANIC, and those of LOG and FATAL that do not concern one
 * session.
 */
const complaint =
  /^.*?(?:PANIC|LOG|FATAL): +(could not .*|.*(?:shared memory|lock file|data directory|configuration|invalid value).*)$|^.*?PANIC: +(.*)$/

/** Starts the server on 127.0.0.1. If it does not start, throws with its last error message. */
export async function startServer(start: PostgresStart): Promise<PostgresServer> {
  const { cluster, port: givenPort, log } = start
  await stopLeftoverServer(cluster.data, log)
  const attemptsMax = givenPort === undefined ? portAttemptsMax : 1
  for (let attempt = 1; ; attempt++) {
    const port = givenPort ?? (await findFreePort())
    const server = await spawnServer(start, port)
    if (await isReady(server, cluster)) return guard(server, port, start)

    const reason = await readComplaint(cluster)
    if (attempt < attemptsMax && reason.includes('could not bind')) continue
    const known =
      reason || ((await isDiskFull(cluster.data, '')) ? 'the disk is full' : 'no reason given')
    throw new Error(`PostgreSQL did not start in ${cluster.data}: ${known}`)
  }
}

/**
 * Returns the server's last error message in its log, or '' if there is none, for example because the disk has no room
 * for the log.
 */
async function readComplaint({ log }: PostgresCluster): Promise<string> {
  const lines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n')
  return lines.findLast((line) => complaint.test(line))?.replace(complaint, '$1$2') ?? ''
}

async function spawnServer(start: PostgresStart, port: number): Promise<ChildProcess> {
  const { cluster, programs, account } = start
  // The previous log says why the server ended.
  await rename(cluster.log, `${cluster.log}.before`).catch(() => {})
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
        // In its own session, so that Ctrl-C reaches only this process, which first stops what uses the database.
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

function settings(
  { durable, connectionsMax, settings: given }: PostgresStart,
  port: number,
): string[] {
  const always = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${connectionsMax}`,
    // For a small machine: little memory, few background processes.
    'shared_buffers=64MB',
    'max_wal_size=512MB',
    'max_parallel_workers_per_gather=0',
    'io_method=sync',
    'jit=off',
    // There are no replicas.
    'wal_level=minimal',
    'max_wal_senders=0',
    'timezone=UTC',
    'log_timezone=UTC',
    // Statements and key values contain names and addresses, which must never reach a log.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
  ]
  const careless = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  // if a setting occurs twice, the server uses the later one
  return [...always, ...careless, ...given]
}

/**
 * Waits until the server reports that it accepts connections. Returns false if it ended, or was not ready within the
 * deadline.
 */
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

function guard(
  server: ChildProcess,
  port: number,
  { durable, cluster }: PostgresStart,
): PostgresServer {
  stopWhenWeDie(server)
  const exited = new Promise<string>((resolve) => {
    server.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  let stopping = false
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<string>()
  void exited.then(async (how) => {
    const reason = await readComplaint(cluster)
    if (!stopping) resolveEnded(reason ? `${how} (${reason})` : how)
  })
  return {
    port,
    ended,
    async stop() {
      stopping = true
      if (server.exitCode !== null || server.signalCode !== null) return
      // SIGINT ends all sessions and flushes the data. SIGQUIT discards it: it is only for tests.
      server.kill(durable ? 'SIGINT' : 'SIGQUIT')
      const late = setTimeout(() => server.kill('SIGQUIT'), stopDeadlineMs)
      await exited
      clearTimeout(late)
    },
  }
}

/** To start, PostgreSQL needs room for a segment of its write-ahead log (16 MiB) and a checkpoint. */
const roomBytesMin = 32 * 1024 * 1024

/**
 * Whether a server failed because the disk is full. Checks its error message, and also the free space of its directory,
 * since a full disk may have no room for the message.
 */
export async function isDiskFull(directory: string, reason: string): Promise<boolean> {
  if (reason.includes('No space left on device')) return true
  const room = await statfs(directory).catch(() => undefined)
  return room !== undefined && room.bavail * room.bsize < roomBytesMin
}
