import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const bin = resolve(import.meta.dirname, '../bin/despatch.mjs')

function print(...commandLine: string[]) {
  return spawnSync(process.execPath, [bin, ...commandLine], { encoding: 'utf8' })
}

/** What bash offers for the last of the words. */
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

test('bash completes commands and options once it has loaded the script', () => {
  const { status, stdout } = print('completion', 'bash')

  expect(status).toBe(0)
  expect(complete(stdout, 'despatch', 'queu')).toEqual(['queues'])
  expect(complete(stdout, 'despatch', 'queues', 'p')).toEqual(['pause'])
  expect(complete(stdout, 'despatch', '--json', 'jobs', 'ho')).toEqual(['hold'])
  expect(complete(stdout, 'despatch', 'jobs', 'hold', 'job-1', '--re')).toEqual(['--reason'])
  expect(complete(stdout, 'despatch', '--base-url', 'jobs', 'queues', 'dr')).toEqual(['drain'])
})

test('zsh and fish have scripts of their own, another shell is wrong usage', () => {
  const zsh = print('completion', 'zsh')
  const fish = print('completion', 'fish')
  const other = print('completion', 'tcsh')

  expect(zsh.stdout).toMatch(/^#compdef despatch\n/)
  expect(fish.stdout).toContain('complete -c despatch ')
  expect([other.status, other.stdout]).toEqual([2, ''])
  expect(other.stderr).toContain('It must be bash, zsh or fish.')
})
