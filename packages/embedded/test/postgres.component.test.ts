import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../src/directory-lock.ts'
import { startPostgres } from '../src/postgres.ts'
import { aDirectory } from './temporary-directory.ts'

const startAndWait = fileURLToPath(new URL('start-postgres-and-wait.ts', import.meta.url))

async function aPostgres(directory: string, options: { log?: (line: string) => void } = {}) {
  const postgres = await startPostgres({ directory, ...options })
  onTestFinished(postgres.stop)
  return postgres
}

async function query(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  // A lost connection fails the query. The additional error event must not end the test run.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function serverProcess(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data/postmaster.pid'), 'utf8'), 10)
}

async function startElsewhere(directory: string): Promise<{ owner: ChildProcess; url: string }> {
  const owner = spawn(process.execPath, [startAndWait, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void owner.kill('SIGKILL'))
  const [line] = await once(owner.stdout, 'data')
  return { owner, url: String(line).trim() }
}

async function kill(owner: ChildProcess) {
  owner.kill('SIGKILL')
  await once(owner, 'exit')
}

test('keeps its data over a restart, behind a password that only the owner can read', async () => {
  const directory = await aDirectory()
  const first = await startPostgres({ directory })
  await query(first.url, 'create table letter as select 1 as id')
  await first.stop()

  const second = await aPostgres(directory)

  expect(await query(second.url, 'select id from letter')).toEqual([{ id: 1 }])
  expect(new URL(second.url).pathname).toBe('/despatch')
  expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600)
  const wrong = new URL(second.url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
})

test('writes commits to the disk, and accepts connections only from this machine', async () => {
  const { url } = await aPostgres(await aDirectory())

  const settings = await query(
    url,
    `select name, setting from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses') order by name`,
  )

  expect(settings).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'synchronous_commit', setting: 'on' },
  ])
})

test('has the extensions that the searches need', async () => {
  const { url } = await aPostgres(await aDirectory())

  await query(
    url,
    'create extension pg_trgm; create extension fuzzystrmatch; create extension unaccent',
  )

  expect(await query(url, `select unaccent('Zoë') as plain`)).toEqual([{ plain: 'Zoe' }])
})

test('leaves no process running when it stops', async () => {
  const directory = await aDirectory()
  const postgres = await startPostgres({ directory })
  const pid = await serverProcess(directory)

  await postgres.stop()

  expect(isAlive(pid)).toBe(false)
})

test('refuses a directory that a running process uses', async () => {
  const directory = await aDirectory()
  await aPostgres(directory)

  await expect(startPostgres({ directory })).rejects.toThrow(
    `${directory} is in use by process ${process.pid}`,
  )
})

test('starts again at once after its process was killed, with all committed data', async () => {
  const directory = await aDirectory()
  const { owner, url } = await startElsewhere(directory)
  await query(url, 'create table letter as select 1 as id')
  await kill(owner)

  const postgres = await aPostgres(directory)

  expect(await query(postgres.url, 'select id from letter')).toEqual([{ id: 1 }])
})

test('a server whose process was killed stops by itself', async () => {
  const directory = await aDirectory()
  const { owner } = await startElsewhere(directory)
  const pid = await serverProcess(directory)

  await kill(owner)

  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('stops a server that was left running, and logs that', async () => {
  const directory = await aDirectory()
  const { owner } = await startElsewhere(directory)
  const pid = await serverProcess(directory)
  // A stopped process cannot end on its own before the next start finds it.
  process.kill(pid, 'SIGSTOP')
  await kill(owner)
  const lines: string[] = []
  const starting = aPostgres(directory, { log: (line) => void lines.push(line) })
  await expect.poll(() => lines.length).toBe(1)
  process.kill(pid, 'SIGCONT')

  const postgres = await starting

  expect(lines).toEqual([
    `PostgreSQL of an earlier start is still running (process ${pid}). Stopping it`,
  ])
  expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('ignores a process id that now belongs to another program', async () => {
  const directory = await aDirectory()
  const first = await startPostgres({ directory })
  await first.stop()
  const other = spawn('sleep', ['60'])
  onTestFinished(() => void other.kill())
  await writeFile(
    join(directory, 'data/postmaster.pid'),
    `${other.pid}\n${join(directory, 'data')}\n0\n1\n\n127.0.0.1\n\nready   \n`,
  )

  const postgres = await aPostgres(directory)

  expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(isAlive(other.pid ?? 0)).toBe(true)
})

test('starts again after a start that was interrupted while it created the data', async () => {
  const directory = await aDirectory()
  await mkdir(join(directory, 'data.unfinished'))
  await writeFile(join(directory, 'data.unfinished/PG_VERSION'), '18\n')

  const postgres = await aPostgres(directory)

  expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('names the version when the data belongs to another PostgreSQL version', async () => {
  const directory = await aDirectory()
  await mkdir(join(directory, 'data'))
  await writeFile(join(directory, 'data/PG_VERSION'), '15\n')

  await expect(startPostgres({ directory })).rejects.toThrow(
    /was created by PostgreSQL 15, and this is 18/,
  )
})

test('restarts a killed server on the same port with all committed data', async () => {
  const directory = await aDirectory()
  const lines: string[] = []
  const { url } = await aPostgres(directory, { log: (line) => void lines.push(line) })
  await query(url, 'create table letter as select 1 as id')
  const busy = query(url, "do $$ begin perform 'busy'; loop end loop; end $$")
  busy.catch(() => {})
  await expect.poll(() => countBusy(url)).toBe(1)

  process.kill(await serverProcess(directory), 'SIGKILL')

  await expect
    .poll(() => query(url, 'select id from letter').catch(() => 'away'))
    .toEqual([{ id: 1 }])
  await expect(busy).rejects.toThrow()
  expect(lines).toEqual(['PostgreSQL exited unexpectedly: SIGKILL', 'PostgreSQL is running again'])
})

test('can be stopped while a killed server waits for its restart', async () => {
  const directory = await aDirectory()
  const lines: string[] = []
  const postgres = await startPostgres({ directory, log: (line) => void lines.push(line) })
  await rm(join(directory, 'data/PG_VERSION'))
  process.kill(await serverProcess(directory), 'SIGKILL')
  await expect.poll(() => lines.length).toBeGreaterThanOrEqual(2)

  await postgres.stop()

  expect(await readFile(join(directory, 'in-use-by'), 'utf8').catch(() => 'free')).toBe('free')
})

test.runIf(process.getuid?.() === 0)(
  'as root, keeps its data elsewhere when its account cannot enter the directory',
  async () => {
    const home = await mkdtemp('/tmp/despatch-home-')
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    await chmod(home, 0o700)
    const directory = join(home, 'postgres')
    const first = await startPostgres({ directory })
    await query(first.url, 'create table letter as select 1 as id')
    await first.stop()

    const second = await aPostgres(directory)

    expect(await query(second.url, 'select id from letter')).toEqual([{ id: 1 }])
    const elsewhere = await query(second.url, 'show data_directory')
    await second.stop()
    await rm(join(String(elsewhere[0].data_directory), '..'), { recursive: true, force: true })
  },
)

async function countBusy(url: string): Promise<number> {
  const rows = await query(
    url,
    "select 1 from pg_stat_activity where query like 'do $$ begin perform%' and state = 'active'",
  )
  return rows.length
}

/** A process that has ended but was not waited for still has an id. It counts as not running. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return process.platform !== 'linux' && isAlive(pid)
  return !/\) Z /.test(stat)
}
