import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startHere } from '../test/a-command-line.ts'
import type { CommandContext } from './command-context.ts'
import { createProgram } from './program.ts'

const manifest = new URL('../../../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8'))

const run = (...commandLine: string[]) => startHere(commandLine, {}).ended

test.each(['--version', '-V'])(
  '%s prints the versions of the system and its interfaces',
  async (flag) => {
    const { code, stdout, stderr } = await run(flag)

    expect([code, stderr]).toEqual([0, ''])
    const [system, ...interfaces] = stdout.trimEnd().split('\n')
    expect(system).toBe(`despatch ${version}`)
    expect(interfaces).toHaveLength(9)
    for (const line of interfaces) expect(line).toMatch(/^ {2}[\w-]+ +\d+\.\d+\.\d+$/)
  },
)

test.each([[[]], [['runs']], [['runs', 'close']]])('help of %j is its --help', async (path) => {
  const help = await run('help', ...path)

  expect(help).toEqual(await run(...path, '--help'))
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: despatch') })
})

test('help of a command that does not exist is wrong usage', async () => {
  expect(await run('help', 'runs', 'clsoe')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'despatch: there is no command runs clsoe; see despatch --help\n',
  })
})

test.each([
  ['wrong usage', ['runs', 'clsoe'], /^unknown command 'clsoe'/],
  ['a missing option', ['runs', 'recall', 'R1'], /^required option /],
  ['a failure', ['consumers', 'set-services', 'acme'], /^/],
])('with --json, %s is one JSON document on standard error', async (_, commandLine, detail) => {
  const { code, stdout, stderr } = await run(...commandLine, '--json')

  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toEqual({ detail: expect.stringMatching(detail), exitCode: code })
  expect(code).toBe(2)
})

test.each([
  [
    'an unknown option before a missing one',
    ['jobs', 'submit', '--foo'],
    /^unknown option '--foo'/,
  ],
  [
    'an unknown value, with the value that was meant',
    ['jobs', 'list', '--status', 'pendng'],
    /argument 'pendng' is invalid\. Allowed choices are .*PENDING.*\. Did you mean PENDING\?/s,
  ],
  [
    'the same of an option with one value',
    ['callbacks', 'list', '--status', 'deadd'],
    /mean DEAD\?/,
  ],
])('wrong usage names %s', async (_, commandLine, detail) => {
  const { code, stderr } = await run(...commandLine, '--json')

  expect(JSON.parse(stderr)).toEqual({ detail: expect.stringMatching(detail), exitCode: 2 })
  expect(code).toBe(2)
})

test.each([
  ['a command', ['--base-url', 'jobs', 'queues', 'show'], ['queues']],
  ['a command with subcommands of two files', ['consumers', 'set-roles'], ['consumers']],
])('%s is loaded without the others', async (_, commandLine, loaded) => {
  const { commands } = await createProgram({} as CommandContext, { commandLine })

  expect(commands.map((command) => command.name())).toEqual(loaded)
})

test.each([['hlep'], ['constructor'], ['completion']])(
  '%s is looked for among all commands',
  async (name) => {
    const all = await createProgram({} as CommandContext)
    const { commands } = await createProgram({} as CommandContext, { commandLine: [name] })

    expect(commands).toHaveLength(all.commands.length)
  },
)
