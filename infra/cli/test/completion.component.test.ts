import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startHere } from './a-command-line.ts'

const print = (...commandLine: string[]) => startHere(commandLine, {}).ended

/** Returns what bash offers for the last of the words. */
function complete(script: string, ...words: string[]): string[] {
  const lines = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_despatch
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', lines], { encoding: 'utf8' })
  if (stderr) throw new Error(stderr)
  return stdout.split('\n').filter(Boolean)
}

test.each<[typed: string, offered: string]>([
  ['despatch queu', 'queues'],
  ['despatch queues p', 'pause'],
  ['despatch --json jobs ho', 'hold'],
  ['despatch jobs hold job-1 --re', '--reason'],
  ['despatch --base-url jobs queues dr', 'drain'],
  // after npx too, which has other programs
  ['npx desp', 'despatch'],
  ['npx despatch queu', 'queues'],
  ['npx despatch jobs list --only he', 'held'],
  ['npx vitest queu', ''],
  // the values of an option that has its own, and files for the others
  ['despatch jobs list --only ', 'parked held failing at-risk overdue'],
  ['despatch callbacks list --status D', 'DUE DELIVERED DEAD'],
  ['despatch jobs list --consumer jobs --status DE', 'DESPATCHED'],
  ['despatch contracts add --callback P', 'PENDING PRODUCTION'],
  ['despatch bulk plan --file package.js', 'package.json'],
])('bash offers for %j: %s', async (typed, offered) => {
  const { code, stdout } = await print('completion', 'bash')

  expect([code, complete(stdout, ...typed.split(' ')).join(' ')]).toEqual([0, offered])
})

test('zsh and fish have scripts of their own, another shell is wrong usage', async () => {
  const zsh = await print('completion', 'zsh')
  const fish = await print('completion', 'fish')
  const other = await print('completion', 'tcsh')

  expect(zsh.stdout).toMatch(/^#compdef despatch npx\n/)
  expect(fish.stdout).toContain('complete -c despatch ')
  expect(fish.stdout).toContain('complete -c npx ')
  expect([other.code, other.stdout]).toEqual([2, ''])
  expect(other.stderr).toContain('It must be bash, zsh or fish.')
})
