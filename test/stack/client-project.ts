import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { environmentOfTools } from './start-despatch.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
export const clientExamples = join(root, 'docs/examples/client')

const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2022'], module: 'nodenext', noEmit: true, types: ['node'] },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  skipLibCheck: false,
}

/**
 * Packs the client, and installs it into a new project in the directory, with its examples. Returns the names of the
 * files in the package.
 */
export async function makeClientProject(directory: string): Promise<string[]> {
  const env = environmentOfTools()
  const pack = ['pack', '--json', '--pack-destination', directory]
  const packed = await run('npm', pack, { cwd: join(root, 'clients/typescript'), env })
  // what the build prints comes first
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')))

  await writeFile(join(directory, 'package.json'), '{ "private": true }')
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(directory, filename)]
  await run('npm', install, { cwd: directory, env })
  await mkdir(join(directory, 'node_modules/@types'))
  for (const types of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', types), join(directory, 'node_modules', types))
  }
  for (const name of await readdir(clientExamples)) {
    if (name.endsWith('.mts')) await copyFile(join(clientExamples, name), join(directory, name))
  }
  return (files as { path: string }[]).map(({ path }) => path)
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
