import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paths, root } from '../guards/tree.ts'

const folder = 'infra/observability/prometheus'
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('promtool (if it is installed) accepts the rules and the example', () => {
  expect(promtool('check', 'rules', 'rules/despatch.yml')).toBe(0)
  expect(promtool('check', 'config', 'prometheus.yml')).toBe(0)
})

test.skipIf(!hasPromtool)('promtool (if it is installed) passes the tests of the rules', () => {
  const files = paths
    .filter((path) => path.startsWith(`${folder}/tests/`))
    .map((path) => path.slice(folder.length + 1))

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
