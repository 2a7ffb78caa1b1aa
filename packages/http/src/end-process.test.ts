import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const module = new URL('./end-process.ts', import.meta.url).href

test.for([
  ['with the given code', 'endProcess(3)', 3],
  ['with the code that was set', 'process.exitCode = 4; endProcess()', 4],
  ['although something is open', 'setInterval(() => {}, 1000); endProcess(0)', 0],
] as const)('ends the process %s', ([, script, code]) => {
  const program = `import { endProcess } from '${module}'; ${script}`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  )

  expect({ status, stderr }).toEqual({ status: code, stderr: '' })
})
