import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { runCommand } from '../stack/despatch-command.ts'
import { environmentOfTools, makeDirectory, startDespatch } from '../stack/start-despatch.ts'

type AuditEvent = { actor: string; action: string }

const root = resolve(import.meta.dirname, '../..')

test('without a credentials file, a start writes a working one, and starts no simulated factory', async () => {
  await using directory = await makeDirectory()
  const before = await startDespatch(directory.path)
  const { consumer: credential } = before.credentials
  const id = await (await aConsumer(before.credentials.baseUrl, credential)).submit(aSmallLetter)
  await before.stop()
  await rm(join(directory.path, 'credentials.json'))

  await using despatch = await startDespatch(directory.path, { DESPATCH_SIMULATOR: '' })

  const { baseUrl, consumer: renewed } = despatch.credentials
  expect(despatch.output()).toMatch(
    /^ {2}Credentials {2}.*, written again: .* have new passwords and API keys$/m,
  )
  expect(despatch.output()).toMatch(/^ {2}Factory {6}none /m)
  await (await aConsumer(baseUrl, renewed)).reached(id, 'PENDING', 60_000)
  await expect(aConsumer(baseUrl, credential)).rejects.toThrow('Not authenticated: 401')
  const { stdout } = await runCommand(directory.path, ['audit', 'list', 'demo-consumer', '--json'])
  expect(
    JSON.parse(stdout).auditEvents.map(({ actor, action }: AuditEvent) => `${actor} ${action}`),
  ).toEqual(['seed password.changed', 'seed api-key.changed', 'seed consumer.created'])
})

test('a port in use is reported in one clear line', async () => {
  await using directory = await makeDirectory()
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  const { port } = occupant.address() as { port: number }

  const { code, stderr } = await run('infra/standalone/src/main.ts', {
    DESPATCH_DATA_DIR: directory.path,
    DESPATCH_PORT: String(port),
    DESPATCH_OPS_PORT: '0',
  })

  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(`port ${port} is in use`)])
  occupant.close()
})

test.each([
  { program: 'infra/standalone/src/main.ts', what: 'start' },
  { program: 'infra/standalone/src/migrate-main.ts', what: 'migrate' },
])('an unusable data folder is reported in one clear line: $what', async ({ program, what }) => {
  await using directory = await makeDirectory()
  const file = join(directory.path, 'file')
  await writeFile(file, '')
  const locked = join(directory.path, 'locked')
  await mkdir(locked, { mode: 0o555 })
  const cases = [
    { folder: file, fault: `${file} is not a folder` },
    { folder: join(file, 'below'), fault: `${join(file, 'below')} is not a folder` },
    { folder: locked, fault: /cannot be written to\./ },
  ]
  // Root may write everywhere, so run as another account.
  const account = process.getuid?.() === 0 ? nobody : {}
  const check = async ({ folder, fault }: (typeof cases)[number]) => {
    const settings = { DESPATCH_DATA_DIR: folder, DESPATCH_PORT: '0', DESPATCH_OPS_PORT: '0' }
    const { code, stderr } = await run(program, settings, account)

    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(fault)])
    expect(stderr).toContain(`Despatch cannot ${what}: `)
    expect(stderr).toContain('Choose another folder with DESPATCH_DATA_DIR.')
  }
  await Promise.all(cases.map(check))
})

test('users of a given database keep their credentials, and a simulated factory without them is reported in one clear line', async () => {
  await using parts = new AsyncDisposableStack()
  const { path } = parts.use(await makeDirectory())
  const { url, drop } = await cloneDatabase()
  parts.defer(drop)
  const { db, close } = openDatabase(url, { name: 'test', connectionsMax: 1 })
  parts.defer(close)
  await insertConsumer(db, { userName: 'demo-consumer' })

  const { code, stderr } = await run('infra/standalone/src/main.ts', {
    ...objectStoreSettings(),
    DATABASE_URL: url,
    DESPATCH_DATA_DIR: path,
    DESPATCH_PORT: '0',
    DESPATCH_OPS_PORT: '0',
    DESPATCH_SIMULATOR: 'on',
  })

  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^Despatch cannot start: DESPATCH_SIMULATOR must be off, .* npx despatch consumers reset-password demo-consumer\n$/,
  )
  expect(await readdir(path)).not.toContain('credentials.json')
})

test('all wrong settings are named, without their values', async () => {
  const { code, stderr } = await run('services/print-request/src/main.ts', {
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    PORT: 'eighty',
  })

  expect(code).toBe(1)
  for (const name of [
    'DATABASE_URL',
    'S3_ENDPOINT',
    'S3_BUCKET',
    'DESPATCH_KEY_CALLBACKS',
    'PORT',
  ]) {
    expect(stderr).toContain(name)
  }
  expect(stderr).not.toContain('hunter2')
})

const nobody = { uid: 65_534, gid: 65_534 }

async function run(
  file: string,
  environment: Record<string, string>,
  account: { uid?: number; gid?: number } = {},
) {
  const child = spawn(process.execPath, [file], {
    ...account,
    cwd: root,
    env: { ...environmentOfTools(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stderr }
}
