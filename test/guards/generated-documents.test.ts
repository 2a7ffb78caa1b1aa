import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { paths, root } from './tree.ts'

test('configuration.md, despatch-properties.md, roles.md, state-machine.md, openapi/ and bruno/ are as `npm run docs` writes them', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/write-docs.ts', '--check'],
    { cwd: root, encoding: 'utf8' },
  )

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('docs/openapi/ holds nothing else', () => {
  expect(paths.filter((path) => path.startsWith('docs/openapi/'))).toEqual([
    'docs/openapi/administration.json',
    'docs/openapi/driver-find.json',
    'docs/openapi/fulfilment.json',
    'docs/openapi/full-driver-enquiry.json',
    'docs/openapi/print-request.json',
    'docs/openapi/thirdparty-access.json',
    'docs/openapi/uat.json',
    'docs/openapi/vehicle-enquiry.json',
  ])
})
