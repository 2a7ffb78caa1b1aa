import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { bin } from './a-command-line.ts'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())

test('the result is on standard output alone, and the exit code is 0', async () => {
  const { code, stdout, stderr } = await running.start('plans list --json').ended

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toHaveProperty('usagePlans')
})

test('reads standard input', async () => {
  const list = 'enquiries list --number - --json'

  const given = await running.start(list, {}, 'AA19 AAA\n').ended
  const none = await running.start(list).ended

  expect(given).toEqual({ code: 0, stdout: expect.stringContaining('"enquiries"'), stderr: '' })
  expect(none).toMatchObject({ code: 2, stdout: '' })
})

test.each<[line: string, code: number, stdout: string, stderr: RegExp]>([
  ['--help', 0, 'Usage: despatch', /^$/],
  ['consumers show nobody', 1, '', /^despatch: there is no consumer nobody\n$/],
  [
    'consumers lst',
    2,
    '',
    /^error: unknown command 'lst'\n\(Did you mean list\?\)\n\(see --help\)\n$/,
  ],
  ['queues drain slow', 2, 'slow', /give --yes\n$/],
])('%s ends with %i', async (line, code, said, stderr) => {
  const ended = await running.start(line).ended

  expect(ended.code).toBe(code)
  expect(ended.stdout).toContain(said)
  expect(ended.stdout === '').toBe(said === '')
  expect(ended.stderr).toMatch(stderr)
})

test('ends in silence when its reader stops reading', async () => {
  const child = spawn(process.execPath, [bin, 'drivers', 'generate', '20000'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [closed, stderr] = [once(child, 'close'), text(child.stderr)]

  await once(child.stdout, 'data')
  child.stdout.destroy()

  expect(await closed).toEqual([0, null])
  expect(await stderr).toBe('')
})

test('Ctrl-C ends a long-running command in its own way', async () => {
  const { said, interrupt, ended } = running.start([
    'provider-conformance --base-url http://127.0.0.1:0',
    `--credentials ${running.directory}/conformance.json`,
  ])
  await eventually(() => said.stderr.includes('C01'), { message: 'the first case is played' })

  interrupt()

  const { code, stdout } = await ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/0 passed, .* Interrupted\.\n$/)
})

const tellsOfSchemas = `
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => {
    if (url.includes('/node_modules/zod/')) process.stderr.write('schema ')
    return next(url, context)
  } })`

test.each([
  ...['audit', 'bulk', 'callbacks', 'consumers', 'contracts', 'jobs', 'plans', 'queues'],
  ...['providers', 'reprints', 'runs'],
])('%s loads no schemas, which take longer than all the rest of a short command', async (group) => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...['--import', `data:text/javascript,${encodeURIComponent(tellsOfSchemas)}`],
    ...[bin, group, '--help'],
  ])

  expect(stderr).toBe('')
})
