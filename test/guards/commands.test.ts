import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { fencesOf } from '../stack/runnable-guide.ts'
import { shellWords } from '../stack/shell-words.ts'
import { paths, readText, root, textFiles } from './tree.ts'

/** What is used of a command of the library `commander`. */
type Program = {
  name(): string
  commands: readonly Program[]
  options: readonly { long?: string }[]
  action(run: () => void): Program
  parseAsync(words: readonly string[], options: { from: 'user' }): Promise<unknown>
}

// By its path, as a program: the tests of the whole do not depend on what is started.
const { createProgram } = (await import(join(root, 'infra/cli/src/program.ts'))) as {
  createProgram(context: object): Promise<Program>
}

// Commander forgets what it has parsed when it parses again.
const program = withoutActions(await createProgram(nowhere()))

const documents = textFiles.filter(
  ({ path }) => path.endsWith('.md') && path !== 'docs/command-line.md',
)
const fences = documents.flatMap(({ path, text }) => fencesOf(path, text))
const shell = fences.filter(({ language }) => language === 'sh')
const inline = documents.flatMap(({ path, text }) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, span]) => ({
    place: path,
    text: span!.replaceAll(/\s+/g, ' '),
  })),
)
const everything = [...fences, ...inline]

test('bash can parse every block of shell', () => {
  const check = 'while IFS= read -r -d "" block; do bash -n <<<"$block" || echo "$1"; shift; done'
  const places = shell.map(({ place }) => place)
  const input = shell.map(({ text }) => `${text}\0`).join('')

  const { stdout, stderr } = spawnSync('bash', ['-c', check, 'bash', ...places], {
    input,
    encoding: 'utf8',
  })

  expect(shell.length).toBeGreaterThan(80)
  expect(stdout + stderr).toBe('')
})

test('npm has every script that a document runs', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
  const named = everything.flatMap(({ place, text }) =>
    [...text.matchAll(/\bnpm run (?:--?\w+ )*([\w-]+)/g)].map(([, name]) => ({ place, name })),
  )

  expect(named.length).toBeGreaterThan(60)
  expect(named.filter(({ name }) => !(name! in scripts))).toEqual([])
})

const commands = shell.flatMap(({ place, text }) =>
  shellWords(text).flatMap((words) => {
    const start = words.indexOf('despatch')
    return words[start - 1] === 'npx' ? [{ place, words: words.slice(start + 1) }] : []
  }),
)

test('despatch accepts every command of a block, with its arguments and options', async () => {
  const refused: string[] = []
  for (const { place, words } of commands) {
    const refusal = await refusalOf(words)
    if (refusal) refused.push(`${place}: despatch ${words.join(' ')}: ${refusal}`)
  }

  expect(commands.length).toBeGreaterThan(50)
  expect(refused).toEqual([])
})

test('despatch has every command and option that the text names', () => {
  const named = inline.filter(({ text }) => text.startsWith('npx despatch '))
  const unknown = named.filter(({ text }) => !isKnown(text.split(' ').slice(2)))

  expect(named.length).toBeGreaterThan(80)
  expect(unknown).toEqual([])
})

test('unknown commands, unknown options, wrong values and missing arguments are found', async () => {
  const wrong = ['jobs shew', 'jobs list --ony held', 'jobs watch 1 --timeout soon', 'jobs show']
  const refusals: unknown[] = []
  for (const line of wrong) refusals.push(await refusalOf(line.split(' ')))

  expect(refusals).toEqual([
    expect.stringContaining('unknown command'),
    expect.stringContaining('unknown option'),
    expect.stringContaining('soon'),
    expect.stringContaining('missing required argument'),
  ])
  expect(isKnown(['jobs', 'shew', '<job>'])).toBe(false)
  expect(isKnown(['jobs', 'list', '--ony', 'held'])).toBe(false)
})

test('commands are split into words as in a shell', () => {
  const text = `id=$(npx despatch a "b c" <in) | d 'e #f' >out # g\nh \\\n -i`

  expect(shellWords(text)).toEqual([
    ['id='],
    ['npx', 'despatch', 'a', 'b c'],
    ['d', 'e #f'],
    ['h', '-i'],
  ])
})

/** Settings of programs that are no service: the command line, the clients and their examples. */
const ofOtherPrograms = ['API_KEY', 'OPS_URL', 'PASSWORD', 'URL', 'USER', 'USER_NAME']

test('every setting that a document names exists', () => {
  const known = new Set([
    ...ofOtherPrograms.map((name) => `DESPATCH_${name}`),
    ...[...readText('docs/configuration.md').matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!),
  ])
  const pattern = /\b(?:DESPATCH|S3|CLAMAV|QUEUE|DATABASE|OTEL)_[A-Z0-9_]*[A-Z0-9]\b(?![_*])/g
  const unknown = everything.flatMap(({ place, text }) =>
    [...text.matchAll(pattern)]
      .filter(([name]) => !known.has(name.replace(/_FILE$/, '')))
      .map(([name]) => `${place}: ${name}`),
  )

  expect(known.size).toBeGreaterThan(80)
  expect(unknown).toEqual([])
})

test('every path of the tree that a block of shell names exists', () => {
  const tops = new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))
  const named = shell.flatMap(({ place, text }) =>
    shellWords(text)
      .flat()
      .filter((word) => /^[\w.-]+\/[\w./-]+$/.test(word) && tops.has(word.split('/')[0]))
      .map((path) => ({ place, path })),
  )

  expect(named.length).toBeGreaterThan(5)
  // the name of a test may be the start of that of its file
  const isThere = (path: string) => paths.some((each) => each.startsWith(path))
  expect(named.filter(({ path }) => !isThere(path))).toEqual([])
})

/** Returns why the command line refuses a command, or undefined. Nothing is run. */
async function refusalOf(words: readonly string[]): Promise<string | undefined> {
  try {
    await program.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function withoutActions(command: Program): Program {
  for (const each of command.commands) withoutActions(each)
  return command.commands.length > 0 ? command : command.action(() => {})
}

/** Whether a line that may be shortened names a command and its options. */
function isKnown(words: readonly string[]): boolean {
  let command = program
  const options = [...command.options]
  for (const word of words.filter((word) => !word.startsWith('-'))) {
    if (command.commands.length === 0 || /^[<…]/.test(word) || word === 'help') break
    const next = command.commands.find((each) => each.name() === word)
    if (!next) return false
    command = next
    options.push(...next.options)
  }
  return words
    .filter((word) => /^--\w/.test(word) && word !== '--help')
    .every((word) => options.some(({ long }) => long === word.split('=')[0]))
}

function nowhere() {
  return {
    environment: {},
    root: '/',
    canAsk: false,
    readInput: async () => '',
    print: () => {},
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    note: () => {},
    canDraw: false,
    endWith: () => {},
    onInterrupt: () => () => {},
  }
}
