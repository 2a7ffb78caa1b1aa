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

test('bash completes commands and options once it has loaded the script', async () => {
  const { code, stdout } = await print('completion', 'bash')

  expect(code).toBe(0)
  expect(complete(stdout, 'despatch', 'queu')).toEqual(['queues'])
  expect(complete(stdout, 'despatch', 'queues', 'p')).toEqual(['pause'])
  expect(complete(stdout, 'despatch', '--json', 'jobs', 'ho')).toEqual(['hold'])
  expect(complete(stdout, 'despatch', 'jobs', 'hold', 'job-1', '--re')).toEqual(['--reason'])
  expect(complete(stdout, 'despatch', '--base-url', 'jobs', 'queues', 'dr')).toEqual(['drain'])
})

test('bash completes them after npx too, and leaves other programs of npx alone', async () => {
  const { stdout } = await print('completion', 'bash')

  expect(complete(stdout, 'npx', 'desp')).toEqual(['despatch'])
  expect(complete(stdout, 'npx', 'despatch', 'queu')).toEqual(['queues'])
  expect(complete(stdout, 'npx', 'despatch', 'jobs', 'list', '--only', 'he')).toEqual(['held'])
  expect(complete(stdout, 'npx', 'vitest', 'queu')).toEqual([])
})

test('bash offers the values of an option that has its own, and files for the others', async () => {
  const { stdout } = await print('completion', 'bash')

  expect(complete(stdout, 'despatch', 'jobs', 'list', '--only', '')).toEqual([
    'parked',
    'held',
    'failing',
    'at-risk',
    'overdue',
  ])
  expect(complete(stdout, 'despatch', 'callbacks', 'list', '--status', 'D')).toEqual([
    'DUE',
    'DELIVERED',
    'DEAD',
  ])
  const list = ['despatch', 'jobs', 'list', '--consumer', 'jobs', '--status', 'DE']
  expect(complete(stdout, ...list)).toEqual(['DESPATCHED'])
  expect(complete(stdout, 'despatch', 'bulk', 'plan', '--action', 'ca')).toEqual(['cancel'])
  expect(complete(stdout, 'despatch', 'contracts', 'add', '--callback', 'P')).toEqual([
    'PENDING',
    'PRODUCTION',
  ])
  expect(complete(stdout, 'despatch', 'bulk', 'plan', '--file', 'package.js')).toEqual([
    'package.json',
  ])
})

test('an unknown value is wrong usage, and the message names the known ones', async () => {
  const { code, stderr } = await print('jobs', 'list', '--only', 'lost')

  expect(code).toBe(2)
  expect(stderr).toContain('Allowed choices are parked, held, failing, at-risk, overdue.')
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
