import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from './tree.ts'

test('every generated document equals the output of `npm run docs`', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/write-docs.ts', '--check'],
    { cwd: root, encoding: 'utf8' },
  )

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
