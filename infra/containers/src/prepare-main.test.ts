import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, 'prepare-main.ts')

test('a preparation that fails says why, without a stack', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], {
    env: { PATH: process.env.PATH, DESPATCH_BASE_URL: 'http://127.0.0.1:8080' },
    encoding: 'utf8',
  })

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(
    /^Despatch cannot be prepared: \n(DATABASE_URL .*\n)?DESPATCH_OPS_URL .*\n$/,
  )
})
