import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import {
  type DatabaseServer,
  makeOpenDirectory,
  startDatabaseServer,
} from '../ground/database-server.ts'
import type { World } from '../run-under-faults.ts'
import { momentMsMax } from './blows.ts'
import type { Scenario } from './scenario.ts'

const diskMebibytes = 400

/** Starts a PostgreSQL on a small in-memory disk. A user other than root needs sudo without a password. */
async function startOnSmallDisk(): Promise<DatabaseServer> {
  const directory = await makeOpenDirectory()
  const uid = process.getuid?.()
  const options = `size=${diskMebibytes}m,mode=711,uid=${uid}`
  const [program, ...args] = asRoot('mount', '-t', 'tmpfs', '-o', options, 'none', directory)
  execFileSync(program!, args)
  await chmod(directory, 0o711)
  const unmount = () => {
    const [umount, ...rest] = asRoot('umount', '--lazy', directory)
    execFileSync(umount!, rest)
  }
  const server = await startDatabaseServer({ makeDirectory: async () => directory })
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      // the server deletes the directory's contents first, then the disk is unmounted
      await Promise.resolve(server[Symbol.asyncDispose]()).catch(() => {})
      unmount()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function asRoot(...command: string[]): string[] {
  return process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size)
      while (await file.write(block).catch(() => undefined)) {}
    }
  } finally {
    await file.close()
  }
}

/** Fills the disk, and makes the write-ahead log allocate its next segment. */
async function runOutOfRoom(world: World): Promise<void> {
  const filler = join(world.server.directory, 'filler')
  await fill(filler)
  await world.database.pool
    .query(`select pg_logical_emit_message(true, '', 'x'), pg_switch_wal()`)
    .catch(() => {})
  await world.pause(5_000)
  await rm(filler)
}

const fsyncs = 'fsync,fdatasync'
const fsyncDeadlineMs = 15_000

/**
 * Makes every `fsync` of the current sessions and writers fail until the server has crashed. The processes that it
 * starts afterwards are not affected.
 */
async function failFsyncs({ database }: World): Promise<void> {
  const { rows } = await database.pool.query<{ pid: number }>('select pid from pg_stat_activity')
  const inject = ['-e', `trace=${fsyncs}`, '-e', `inject=${fsyncs}:error=EIO`]
  const processes = rows.flatMap(({ pid }) => ['-p', String(pid)])
  const [program, ...args] = asRoot('strace', '-qq', '-o', '/dev/null', ...inject, ...processes)
  const tracer = spawn(program!, args, { stdio: 'ignore', timeout: fsyncDeadlineMs })
  await once(tracer, 'exit')
  await eventually(
    async () => {
      const left = await database.pool.query('select from pg_stat_activity where pid = any ($1)', [
        rows.map(({ pid }) => pid),
      ])
      return left.rows.length === 0
    },
    { deadlineMs: momentMsMax, message: 'PostgreSQL has crashed and recovered' },
  )
}

function canFailFsyncs(): boolean {
  const [program, ...args] = asRoot('strace', '-V')
  return spawnSync(program!, args).status === 0
}

export const diskFull: Scenario = {
  number: 25,
  name: 'the disk of the database is full, then its fsync fails (where strace is installed)',
  holds: 'I1 I11; intake answers 503 and keeps nothing of it, or commits before it answers 202',
  queues: 'once',
  isOnce: true,
  async lacks() {
    const [program, ...args] = asRoot('true')
    const mayMount = process.platform === 'linux' && spawnSync(program!, args).status === 0
    return mayMount ? undefined : 'mounting a small disk requires root, or sudo without a password'
  },
  startServer: startOnSmallDisk,
  plan: {
    strike: async (world) => {
      for (const _ of [1, 2]) {
        await world.outage('database', () => runOutOfRoom(world))
        await world.pause(2_000)
      }
      if (!canFailFsyncs()) return world.tell('without strace, no fsync fails')
      await world.outage('database', () => failFsyncs(world))
    },
  },
}
