import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { environmentOfTools } from './start-despatch.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
export const clientExamples = join(root, 'docs/examples/client')

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022'],
  module: 'nodenext',
  noEmit: true,
  types: ['node'],
  allowJs: true,
  checkJs: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
}

/**
 * Packs the client, and installs it into a new project in the directory, with its examples. Returns the names of the
 * files in the package.
 */
export async function makeClientProject(directory: string): Promise<string[]> {
  const env = environmentOfTools()
  const { filename, files } = await packClient(directory)

  await writeFile(join(directory, 'package.json'), '{ "private": true }')
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(directory, filename)]
  await run('npm', install, { cwd: directory, env })
  await mkdir(join(directory, 'node_modules/@types'))
  for (const types of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', types), join(directory, 'node_modules', types))
  }
  for (const name of await readdir(clientExamples)) {
    if (name.endsWith('.mjs')) await copyFile(join(clientExamples, name), join(directory, name))
  }
  return files.map(({ path }) => path)
}

type Packed = { filename: string; files: { path: string }[] }

/** Packs a copy, because the build replaces a folder of the tree, which another test may be packing too. */
async function packClient(directory: string): Promise<Packed> {
  const copy = await mkdtemp(join(tmpdir(), 'despatch-client-'))
  try {
    for (const path of ['clients/typescript', 'packages/client'])
      await cp(join(root, path), join(copy, path), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const pack = ['pack', '--json', '--pack-destination', directory]
    const options = { cwd: join(copy, 'clients/typescript'), env: environmentOfTools() }
    const { stdout } = await run('npm', pack, options)
    // what the build prints comes first
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
    return packed
  } finally {
    await rm(copy, { recursive: true })
  }
}

/** Compiles the project strictly, the types of its libraries included. Throws what the compiler prints. */
export async function compileProject(directory: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [compiler, '-p', directory], { env: environmentOfTools() }).catch(
    ({ stdout }) => {
      throw new Error(stdout)
    },
  )
}
