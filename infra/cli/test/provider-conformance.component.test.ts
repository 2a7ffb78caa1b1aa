import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, startHere } from './a-command-line.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'provider-conformance-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

/** Starts the command with an empty data directory, because it requires no Despatch. */
function start(...commandLine: string[]): Started {
  return startHere(['provider-conformance', ...commandLine], { DESPATCH_DATA_DIR: directory })
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return `http://127.0.0.1:${port}`
}

const file = (name: string) => join(directory, name)

test('lists the cases, for people and for scripts', async () => {
  const [text, json] = await Promise.all([start('--list').ended, start('--list', '--json').ended])

  expect([text.code, json.code]).toEqual([0, 0])
  expect(text.stdout).toMatch(/^C01 {2}A complete ordinary run\n {5}Claim the run/)
  expect(JSON.parse(json.stdout)).toHaveLength(15)
})

test('plays a case, prints the verdict and writes the report; exits with 1 because no client called', async () => {
  const baseUrl = await freeAddress()
  const { code, stdout, stderr } = await start(
    ...['--base-url', baseUrl, '--credentials', file('unused.json')],
    ...['--case', 'c07', '--timeout-seconds', '1', '--report', file('report.json')],
  ).ended

  const report = JSON.parse(await readFile(file('report.json'), 'utf8'))
  expect(code).toBe(1)
  expect(stderr).toContain(`Listening on ${baseUrl}`)
  expect(stdout).toMatch(/^CASE +RESULT +WHAT +WHY\nC07 +FAIL +The address of a file has expired/)
  expect(stdout).toContain('not done in time: the print run is claimed\n\n0 passed, 1 failed')
  expect(report).toMatchObject({ failed: 1, cases: [{ id: 'C07', result: 'FAIL', calls: [] }] })
})

test('writes fresh credentials for its owner alone, and accepts these and no others', async () => {
  const baseUrl = await freeAddress()
  const path = file('fresh.json')
  const { said, interrupt, ended } = start('--base-url', baseUrl, '--credentials', path)
  await eventually(() => said.stderr.includes('C01'), { message: 'the first case is played' })

  const credentials = JSON.parse(await readFile(path, 'utf8'))
  const signIn = async (password: string) => {
    const { userName } = credentials
    const body = JSON.stringify({ userName, password })
    const headers = { 'content-type': 'application/json' }
    const address = `${baseUrl}/thirdparty-access/v1/authenticate`
    return (await fetch(address, { method: 'POST', headers, body })).status
  }
  const statuses = [await signIn(credentials.password), await signIn('a guess')]
  interrupt()
  const { code, stdout, stderr } = await ended

  expect(Object.keys(credentials)).toEqual(['userName', 'password', 'apiKey'])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(statuses).toEqual([200, 401])
  expect(stdout + stderr).not.toContain(credentials.password)
  // After Ctrl-C the command prints the report so far.
  expect(code).toBe(1)
  expect(stdout).toMatch(/\nC01 +FAIL .*\n\n0 passed, 1 failed, 0 not shown\. Interrupted\.\n$/)
})

test('an address that is in use is reported', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }

  const { code, stderr } = await start(
    ...['--base-url', `http://127.0.0.1:${port}`, '--credentials', file('in-use.json')],
  ).ended
  server.close()

  expect(code).toBe(1)
  expect(stderr).toContain('(EADDRINUSE)')
})

test.each<[string, string[], string]>([
  ['no address', ['--credentials', 'c.json'], '--base-url is missing'],
  ['no file', ['--base-url', 'http://127.0.0.1:9090'], '--credentials is missing'],
  [
    'an address for everybody',
    ['--base-url', 'http://0.0.0.0:9090', '--credentials', 'c.json'],
    'loopback or private address',
  ],
  [
    'an unknown case',
    ['--base-url', 'http://127.0.0.1:9090', '--credentials', 'c.json', '--case', 'C16'],
    'there is no case C16; the cases are C01 to C15',
  ],
  [
    'no time',
    ['--base-url', 'http://127.0.0.1:9090', '--timeout-seconds', '0'],
    'It must be at least 1.',
  ],
])('%s is wrong usage', async (_, commandLine, told) => {
  const { code, stderr } = await start(...commandLine).ended

  expect(code).toBe(2)
  expect(stderr).toContain(told)
})

test('a file of something else is wrong usage, and is not repeated', async () => {
  await writeFile(file('other.json'), '{"userName":"somebody","password":"never to be shown"}')

  const { code, stderr } = await start(
    ...['--base-url', 'http://127.0.0.1:9090', '--credentials', file('other.json')],
  ).ended

  expect(code).toBe(2)
  expect(stderr).toContain('must be a JSON object with the strings userName, password, apiKey')
  expect(stderr).not.toContain('never to be shown')
})
