import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paths, readText, root } from './tree.ts'

const folder = 'infra/observability/prometheus'
const rules = readText(`${folder}/rules/despatch.yml`)
const alerts = rules
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0]!, text }))
const ruleTests = paths.filter((path) => path.startsWith(`${folder}/tests/`))
const pages = paths
  .filter((path) => /^docs\/runbooks\/.*\.md$/.test(path))
  .filter((path) => path !== 'docs/runbooks/README.md')

const has = (program: string) => spawnSync(program, ['--version']).status === 0
const hasPromtool = has('promtool')

test.each(alerts)(
  '$name says how bad it is, for how long, what is late and where to go on',
  (alert) => {
    expect(alert.text).toMatch(/^ +for: \d+[mhd]$/m)
    expect(alert.text).toMatch(/^ +severity: (critical|warning|info)$/m)
    expect(alert.text).toMatch(/^ +summary: ".{30,}"$/m)
    expect(alert.text).toMatch(/^ +console_path: \/\S*$/m)
    expect(alert.text).toContain(`runbook_url: ${pageOf(alert.name)}`)
  },
)

test.each(alerts)('$name leads to a page that the console has', ({ text }) => {
  const [, path] = /console_path: ([^?\s]+)/.exec(text) ?? []
  const pages = readText('services/ops-console/src/pages/page.ts').matchAll(/\bpath: '([^']+)'/g)

  expect([...pages].map(([, known]) => known)).toContain(path)
})

test('every alert has its runbook, and every runbook its alert', () => {
  expect(pages).toEqual(alerts.map(({ name }) => pageOf(name)).sort())
})

test.each(alerts)(
  'the runbook of $name names it as it is, and tells what one needs',
  ({ name, text }) => {
    const page = readText(pageOf(name))
    const severity = /severity: (\w+)/.exec(text)?.[1]
    const wait = /for: (\w+)/.exec(text)?.[1]
    const console = /console_path: (\S+)/.exec(text)?.[1]

    expect(page).toContain(`Alert \`${name}\`, ${severity}, after ${wait}.`)
    expect(page).toContain(`\`${console}\``)
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'What it means for letters',
      'See it',
      'Do',
      'Over when',
    ])
    expect(readText('docs/runbooks/README.md')).toMatch(
      new RegExp(`\\]\\(${pageOf(name).split('/').at(-1)}\\) +\\| ${severity} +\\| ${wait} +\\|`),
    )
  },
)

test.each(alerts)('the rule $name is tested: it fires, and it does not', ({ name }) => {
  const cases = ruleTests
    .map(readText)
    .flatMap((text) => text.split(/^ {2}- name: /m).slice(1))
    .filter((text) => new RegExp(`^ +alertname: ${name}$`, 'm').test(text))

  expect(cases.some((text) => text.includes('exp_labels:'))).toBe(true)
  expect(cases.some((text) => text.includes('exp_alerts: []'))).toBe(true)
})

test.each(pages)('every command that %s names exists, with its options', async (path) => {
  const program = await theProgram()
  const commands = [...readText(path).matchAll(/`npx (despatch [^`]+)`/g)].map(
    ([, command]) => command!,
  )

  expect(commands.filter((command) => !isCommand(program, command))).toEqual([])
})

test.skipIf(!hasPromtool)(
  'promtool (if it is installed) finds the rules and the example right',
  () => {
    expect(promtool('check', 'rules', 'rules/despatch.yml')).toBe(0)
    expect(promtool('check', 'config', 'prometheus.yml')).toBe(0)
  },
)

test.skipIf(!hasPromtool)('promtool (if it is installed) runs the tests of the rules', () => {
  const files = ruleTests.map((path) => path.slice(folder.length + 1))

  expect(files.length).toBeGreaterThan(0)
  expect(promtool('test', 'rules', ...files)).toBe(0)
})

function promtool(...given: string[]): number | null {
  const { status, stdout, stderr } = spawnSync('promtool', given, {
    cwd: join(root, folder),
    encoding: 'utf8',
  })
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
  return status
}

function pageOf(alert: string): string {
  return `docs/runbooks/${alert.replaceAll(/(?<!^)([A-Z])/g, '-$1').toLowerCase()}.md`
}

/** The parts of a command that the test reads. */
type Command = {
  name(): string
  commands: readonly Command[]
  options: readonly { long?: string }[]
}

/** Returns the program that operators use. Nothing is run. */
async function theProgram(): Promise<Command> {
  const { createProgram } = await import(join(root, 'infra/cli/src/program.ts'))
  return createProgram({ environment: {}, print: () => {} })
}

function isCommand(program: Command, text: string): boolean {
  const words = text
    .replaceAll(/"[^"]*"/g, 'text')
    .split(' ')
    .slice(1)
  let command: Command = program
  for (const word of words) {
    const below = command.commands.find((candidate) => candidate.name() === word)
    if (!below) break
    command = below
  }
  const longs = words.filter((word) => word.startsWith('--'))
  const options = [...command.options, ...program.options].map(({ long }) => long)
  const isWhole = command !== program && command.commands.length === 0
  return (
    (isWhole || longs.includes('--help')) &&
    longs.every((long) => long === '--help' || options.includes(long))
  )
}
