import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText, root, textFiles } from './tree.ts'

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

function run(
  program: string,
  { node = process.versions.node, npm = '', args = [] as string[] } = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [asNode(node), program, ...args], {
    cwd: tree,
    env: { npm_execpath: npm, PATH: tree },
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

test('the command also reports an unsupported Node, unless the tree has its own', async () => {
  await cp(join(root, 'infra/cli/bin'), join(tree, 'infra/cli/bin'), { recursive: true })

  expect(run('infra/cli/bin/despatch.mjs', { node: '18.0.0' })).toEqual({
    status: 1,
    output: 'This requires Node.js 24, which is not installed. Run "npm ci" first\n',
  })
})

test('the start of a service also reports an unsupported Node', async () => {
  await cp(join(root, 'scripts/start.mjs'), join(tree, 'scripts/start.mjs'))

  expect(run('scripts/start.mjs', { node: '22.22.0' })).toEqual({
    status: 1,
    output:
      'Despatch requires Node.js 24 or later for its services, and this is 22.22.0: install one from https://nodejs.org\n',
  })
})

test('a service starts by its name', async () => {
  await cp(join(root, 'scripts/start.mjs'), join(tree, 'scripts/start.mjs'))
  const main = join(tree, 'services/gateway/src/main.ts')
  await mkdir(dirname(main), { recursive: true })
  await writeFile(main, `const name: string = 'gateway'\nconsole.log(name)\n`)

  expect(run('scripts/start.mjs', { args: ['gateway'] })).toEqual({
    status: 0,
    output: 'gateway\n',
  })
  expect(await readdir(join(tree, 'node_modules/.cache/compiled'))).toEqual([
    expect.stringContaining(process.version),
  ])
  const refused = {
    status: 1,
    output: 'Name one service of the folder services: node scripts/start.mjs print-request\n',
  }
  expect(run('scripts/start.mjs')).toEqual(refused)
  expect(run('scripts/start.mjs', { args: ['gatway'] })).toEqual(refused)
})

test('no document starts TypeScript with an unchecked Node', () => {
  const unchecked = textFiles.flatMap(({ path, text }) =>
    path.endsWith('.md')
      ? [...text.matchAll(/\bnode (?:-\S+ )*\S+\.ts\b/g)].map(([command]) => `${path}: ${command}`)
      : [],
  )

  expect(unchecked).toEqual([])
})

test('every npm script first checks whether the tree is ready', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
  // The first reads only the lockfile. Turborepo must recognise the second: it refuses a task that calls itself.
  const { sbom: _, boundaries: __, ...others } = scripts
  const unasked = Object.entries(others).filter(
    ([, script]) => !script.startsWith('node scripts/ready.mjs && '),
  )

  expect(Object.keys(others)).toContain('start')
  expect(unasked).toEqual([])
})

test.for(['start', 'demo'])('npm run %s caches compiled code', (name) => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }

  expect(scripts[name]).toContain('&& NODE_COMPILE_CACHE=node_modules/.cache/compiled exec node ')
})

async function anNpm(packages: object, code: string): Promise<string> {
  await writeFile(join(tree, 'package-lock.json'), JSON.stringify({ packages }))
  const npm = join(tree, 'npm.js')
  await writeFile(npm, code)
  return npm
}

test('an installation shows the number of installed packages', async () => {
  const packages = { '': {}, 'node_modules/one': { version: '1.0.0' } }
  const npm = await anNpm(
    packages,
    `const { mkdirSync, writeFileSync } = require('node:fs')
mkdirSync('node_modules/one', { recursive: true })
writeFileSync('node_modules/one/package.json', '{}')
writeFileSync('node_modules/.package-lock.json', '${JSON.stringify({ packages })}')`,
  )

  const { status, output } = run('scripts/ready.mjs', { npm })

  expect(status, output).toBe(0)
  expect(output.split('\n')).toEqual([
    'The first start installs dependencies for one to two minutes. Ctrl-C stops it.',
    expect.stringMatching(/^Installing dependencies: 0 of 1 packages, \d+ s$/),
    expect.stringMatching(/^Installing dependencies: 1 of 1 packages, \d+ s$/),
    expect.stringMatching(/^Installed dependencies in \d+ s$/),
    '',
  ])
})

test('a missing npm is named', async () => {
  await anNpm({ '': {}, 'node_modules/one': { version: '1.0.0' } }, '')

  const { status, output } = run('scripts/ready.mjs')

  expect(status).toBe(1)
  expect(output).toMatch(/^Not ready: npm was not found on the PATH$/m)
})

test('a signal ends the installation and all its processes', async () => {
  const npm = await anNpm(
    { '': {}, 'node_modules/one': { version: '1.0.0' } },
    `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
require('node:fs').writeFileSync('child.pid', String(child.pid))
setInterval(() => {}, 1000)`,
  )
  const child = spawn(process.execPath, ['scripts/ready.mjs'], {
    cwd: tree,
    env: { npm_execpath: npm, PATH: tree },
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const pid = await eventually(
    async () => Number(await readFile(join(tree, 'child.pid'), 'utf8')),
    { message: 'npm runs' },
  )

  child.kill('SIGINT')
  const [code] = await once(child, 'close')

  expect(code).toBe(130)
  expect(output).toMatch(/^Installation stopped; the next start repeats it\n$/m)
  expect(output.trim().split('\n').at(-1)).toMatch(/^Installation stopped/)
  expect(existsSync(join(tree, '.despatch/install.log'))).toBe(false)
  expect(existsSync(join(tree, '.despatch/installing'))).toBe(false)
  await eventually(() => !isAlive(pid), { message: 'the child of npm has ended' })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
