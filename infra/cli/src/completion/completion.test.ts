import { Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { flagsWithValue, listCommands } from './command-tree.ts'
import { renderFish } from './fish.ts'
import { renderZsh } from './zsh.ts'

const program = new Command('despatch').option('--json', 'one document')
const jobs = program.command('jobs').description('print jobs')
jobs
  .command('list')
  .description("lists a consumer's")
  .option('--limit <number>', 'how many')
  .addOption(new Option('--only <which>', 'which').choices(['parked', 'held']))
const nodes = listCommands(program)

const noValue = { takesValue: false, values: [] }
const json = { flag: '--json', description: 'one document', ...noValue }
const help = { flag: '--help', description: 'says what can be given', ...noValue }

test('the commands are those of the program, each with its options and those of the program', () => {
  expect(nodes).toEqual([
    {
      path: '',
      description: '',
      subcommands: [{ name: 'jobs', description: 'print jobs' }],
      options: [json, help],
    },
    {
      path: 'jobs',
      description: 'print jobs',
      subcommands: [{ name: 'list', description: "lists a consumer's" }],
      options: [json, help],
    },
    {
      path: 'jobs list',
      description: "lists a consumer's",
      subcommands: [],
      options: [
        { flag: '--limit', description: 'how many', takesValue: true, values: [] },
        { flag: '--only', description: 'which', takesValue: true, values: ['parked', 'held'] },
        json,
        help,
      ],
    },
  ])
  expect(flagsWithValue(nodes)).toEqual(['--limit', '--only'])
})

test.for<[shell: string, script: string, lines: string[]]>([
  [
    'zsh',
    renderZsh(nodes),
    [
      `    'jobs') reply=('list:lists a consumer'\\''s' '--json:one document' '--help:says what can be given') ;;`,
      `    'jobs list --only') reply=('parked' 'held') ;;`,
    ],
  ],
  [
    'fish',
    renderFish(nodes),
    [
      `    set -l paths 'jobs' 'jobs list'`,
      `complete -c despatch -n 'test "$(__despatch_path)" = "jobs"' -f -a 'list' -d 'lists a consumer\\'s'`,
      `complete -c despatch -n 'test "$(__despatch_path)" = "jobs list"' -l limit -r -d 'how many'`,
      `complete -c despatch -n 'test "$(__despatch_path)" = "jobs list"' -l only -r -f -a 'parked held' -d 'which'`,
    ],
  ],
])('the script of %s has them, quoted as that shell does', ([, script, lines]) => {
  expect(script.split('\n')).toEqual(expect.arrayContaining(lines))
})
