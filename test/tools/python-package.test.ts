import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOfTools } from '../stack/start-despatch.ts'

const run = promisify(execFile)
const source = resolve(import.meta.dirname, '../../clients/python')

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'despatch-python-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('pip installs the Python client, and writes nothing to its folder', async ({ skip }) => {
  const [copy, target] = [join(directory, 'client'), join(directory, 'target')]
  const isSource = (path: string) => !path.includes('__pycache__')
  await cp(source, copy, { recursive: true, filter: isSource })
  const before = await filesIn(copy)
  const pip = ['-m', 'pip', '--retries', '1', 'install', '--no-deps', '--target', target, copy]

  const failure = await run('python3', pip, { env: environmentOfTools() }).then(
    () => undefined,
    (error: { stderr?: string; code: unknown }) => error.stderr || `${error.code}`,
  )
  // On a developer's machine Python or the network may be missing. If `CI` is set, they are required.
  const isMissing = /^ENOENT|No module named pip|No matching distribution/m.test(failure ?? '')
  skip(isMissing && process.env.CI === undefined, 'pip, or the network, is not there')

  expect(failure).toBeUndefined()
  expect(await filesIn(copy)).toEqual(before)
  const using = ['-B', '-c', 'from despatch_client import ConsumerClient']
  const env = { ...environmentOfTools(), PYTHONPATH: target }
  await run('python3', using, { cwd: directory, env })
})

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).toSorted()
}
