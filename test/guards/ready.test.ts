import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText, root } from './tree.ts'

let tree: string
beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'despatch-ready-'))
  for (const name of ['ready.mjs', 'install.mjs']) {
    await cp(join(root, 'scripts', name), join(tree, 'scripts', name))
  }
})
afterEach(() => rm(tree, { recursive: true }))

/** Makes the process believe that its Node has this version. */
function asNode(version: string): string {
  const versions = `{ ...process.versions, node: '${version}' }`
  const code = `Object.defineProperty(process, 'versions', { value: ${versions} })`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

function run(program: string, { node = process.versions.node, npm = '' } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [asNode(node), program], {
    cwd: tree,
    env: { npm_execpath: npm },
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('an unsupported Node is reported in one line', () => {
  expect(run('scripts/ready.mjs', { node: '16.20.2' })).toEqual({
    status: 1,
    output:
      'Despatch requires Node.js 18 or later, and this is 16.20.2: install one from https://nodejs.org\n',
  })
})

test('the command reports it too, unless the Node of the tree is installed', async () => {
  await cp(join(root, 'infra/cli/bin'), join(tree, 'infra/cli/bin'), { recursive: true })

  expect(run('infra/cli/bin/despatch.mjs', { node: '18.0.0' })).toEqual({
    status: 1,
    output: 'This requires Node.js 24, which is not installed. Run "npm ci" first\n',
  })
})

test('every npm script that starts a program asks first whether the tree is ready', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
  const starting = Object.entries(scripts).filter(([, script]) => script.includes('exec '))

  expect(starting.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'demo', 'migrate', 'test', 'check']),
  )
  expect(starting.filter(([, script]) => !script.startsWith('node scripts/ready.mjs && '))).toEqual(
    [],
  )
})

test('an installation shows how many packages are there', async () => {
  const packages = { '': {}, 'node_modules/one': { version: '1.0.0' } }
  await writeFile(join(tree, 'package-lock.json'), JSON.stringify({ packages }))
  const npm = join(tree, 'npm.js')
  await writeFile(
    npm,
    `const { mkdirSync, writeFileSync } = require('node:fs')
mkdirSync('node_modules/one', { recursive: true })
writeFileSync('node_modules/one/package.json', '{}')
writeFileSync('node_modules/.package-lock.json', '${JSON.stringify({ packages })}')`,
  )

  const { status, output } = run('scripts/ready.mjs', { npm })

  expect(status, output).toBe(0)
  expect(output.split('\n')).toEqual([
    expect.stringMatching(/^Installing dependencies: 0 of 1 packages, \d+ s$/),
    expect.stringMatching(/^Installing dependencies: 1 of 1 packages, \d+ s$/),
    expect.stringMatching(/^Installed dependencies in \d+ s$/),
    '',
  ])
})
