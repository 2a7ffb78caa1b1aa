import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveKeys } from '@despatch/config/service-keys'
import { expect, onTestFinished, test } from 'vitest'
import { type Attached, startHere } from '../../test/a-command-line.ts'

const [root, previousRoot] = ['a1'.repeat(32), 'b2'.repeat(32)]
const [keys, previous] = [deriveKeys(root), deriveKeys(previousRoot)]

const derive = (
  options: readonly string[] = [],
  environment: Record<string, string> = { DESPATCH_SECRET_KEY: root },
  attached: Attached = {},
) => startHere(['keys', 'derive', ...options], environment, attached).ended

test('prints the keys of all services, or of one, as lines of an env file and nothing else', async () => {
  expect(await derive()).toEqual({
    code: 0,
    stdout: Object.entries(keys)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    stderr: '',
  })
  expect((await derive(['--service', 'callbacks'])).stdout).toBe(
    `DESPATCH_KEY_CALLBACKS=${keys.DESPATCH_KEY_CALLBACKS}\n`,
  )
  expect(JSON.parse((await derive(['--json', '--service', 'ops-console'])).stdout)).toEqual({
    DESPATCH_KEY_CONSOLE: keys.DESPATCH_KEY_CONSOLE,
  })
})

test('reads the root from a file, and adds the keys of previous roots', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-keys-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'root')
  await writeFile(path, `${root}\n`)

  const { stdout } = await derive(['--service', 'thirdparty-access'], {
    DESPATCH_SECRET_KEY_FILE: path,
    DESPATCH_SECRET_KEY_PREVIOUS: previousRoot,
  })

  expect(stdout.trim().split('\n')).toEqual([
    `DESPATCH_KEY_SIGNING=${keys.DESPATCH_KEY_SIGNING}`,
    `DESPATCH_KEY_SIGNING_PREVIOUS=${previous.DESPATCH_KEY_SIGNING}`,
    `DESPATCH_KEY_SIGN_IN=${keys.DESPATCH_KEY_SIGN_IN}`,
  ])
})

test('warns when the keys go to a terminal', async () => {
  const { stdout, stderr } = await derive([], undefined, { isTerminal: true })

  expect(stdout).toContain(keys.DESPATCH_KEY_SIGNING)
  expect(stderr).toMatch(/^These are secrets\. /)
})

test.for<[given: Record<string, string>, message: RegExp]>([
  [{}, /^despatch: DESPATCH_SECRET_KEY is required/],
  [{ DESPATCH_SECRET_KEY: 'hunter2' }, /^despatch: DESPATCH_SECRET_KEY must be 64 hexadecimal/],
  [
    { DESPATCH_SECRET_KEY: 'deadbeef'.padStart(64, '0') },
    /^despatch: DESPATCH_SECRET_KEY has a value that has been published/,
  ],
])('with the root %o prints no key', async ([environment, message]) => {
  const { code, stdout, stderr } = await derive([], environment)

  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr).not.toContain('hunter2')
})
