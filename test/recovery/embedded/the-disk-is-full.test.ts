import { execFileSync } from 'node:child_process'
import { chmod, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import pg from 'pg'
import { expect, test } from 'vitest'
import { aConsumer } from '../../stack/a-consumer.ts'
import { aSmallLetter } from '../../stack/a-small-letter.ts'
import { makeDirectory, startDespatch } from '../../stack/start-despatch.ts'

const refusalsWanted = 5

test('with a full disk intake answers 503, no accepted letter is lost, and work resumes', async () => {
  await using directory = await makeDirectory()
  await using _disk = await aSmallDisk(directory.path)
  await using despatch = await startDespatch(directory.path)
  const { baseUrl, consumer: credential } = despatch.credentials
  const consumer = await aConsumer(baseUrl, credential)
  const accepted: string[] = []
  const statuses: number[] = []
  const post = async () => {
    const id = `letter-${statuses.length}`
    const { status } = await consumer.call('POST', 'jobs', { ...aSmallLetter, id })
    statuses.push(status)
    if (status === 202) accepted.push(id)
    return status
  }
  expect(await post()).toBe(202)

  const filler = await fill(directory.path)
  // The next segment of the write-ahead log does not fit: PostgreSQL ends and cannot start.
  await switchLog(directory.path).catch(() => {})
  await eventually(
    async () => {
      await post()
      return statuses.filter((status) => status !== 202).length >= refusalsWanted
    },
    { deadlineMs: 60_000, message: 'intake refuses letters' },
  )
  expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([])
  await rm(filler)

  await eventually(async () => (await post()) === 202, {
    deadlineMs: 60_000,
    pollMs: 500,
    message: 'intake accepts letters again',
  })
  for (const id of accepted) await consumer.reached(id, 'PENDING', 60_000)
  expect(await despatch.stop('SIGTERM')).toBe(0)
})

/** Mounts a small disk. A user other than root needs sudo without a password. */
async function aSmallDisk(path: string): Promise<AsyncDisposable> {
  const asRoot = (...command: string[]) => {
    const [program, ...rest] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
    execFileSync(program!, rest)
  }
  asRoot('mount', '-t', 'tmpfs', '-o', `size=220m,mode=711,uid=${process.getuid?.()}`, 'none', path)
  await chmod(path, 0o711)
  return { [Symbol.asyncDispose]: async () => asRoot('umount', '--lazy', path) }
}

async function fill(directory: string): Promise<string> {
  const path = join(directory, 'filler')
  const file = await open(path, 'w')
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size)
      while (await file.write(block).catch(() => undefined)) {}
    }
  } finally {
    await file.close()
  }
  return path
}

async function switchLog(directory: string): Promise<void> {
  const home = join(directory, 'postgres')
  const lines = (await readFile(join(home, 'data/postmaster.pid'), 'utf8')).split('\n')
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(lines[3]),
    user: 'despatch',
    database: 'despatch',
    password: await readFile(join(home, 'password'), 'utf8'),
  })
  client.on('error', () => {})
  await client.connect()
  try {
    for (let segments = 0; segments < 3; segments++) {
      await client.query('select pg_logical_emit_message(true, $1, $2), pg_switch_wal()', ['', 'x'])
    }
  } finally {
    await client.end()
  }
}
