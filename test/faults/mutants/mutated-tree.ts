import { execFile } from 'node:child_process'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Mutant } from './mutants.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** The scope of this tree's workspaces. The copy links to its own workspaces instead of these. */
const own = '@despatch'

/** A copy of this source tree that can be broken. */
export type MutatedTree = AsyncDisposable & {
  directory: string
  /** Applies the mutant to the copy while the work runs. */
  during<Result>(mutant: Mutant, work: () => Promise<Result>): Promise<Result>
}

/** Copies all files that git tracks to a directory of its own in `folder`. Libraries are shared with this tree. */
export async function copyTree(folder = tmpdir()): Promise<MutatedTree> {
  const directory = await realpath(await mkdtemp(join(folder, 'despatch-mutants-')))
  // Processes that run as another account must be able to read it.
  for (const file of await listFiles()) {
    await mkdir(join(directory, dirname(file)), { recursive: true })
    await cp(join(root, file), join(directory, file), { verbatimSymlinks: true })
  }
  await linkLibraries(directory)
  return {
    directory,
    during: async (mutant, work) => {
      const path = join(directory, mutant.file)
      const text = await readFile(path, 'utf8')
      await writeFile(path, mutate(text, mutant))
      try {
        return await work()
      } finally {
        await writeFile(path, text)
      }
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Returns the text of a file with the mutant applied. Throws unless the text to replace occurs exactly once. */
export function mutate(text: string, { name, file, find, replace }: Mutant): string {
  const [before, after, ...more] = text.split(find)
  if (after === undefined || more.length > 0) {
    throw new Error(
      `"${name}" is to break one place of ${file}, and finds ${more.length + (after === undefined ? 0 : 1)}`,
    )
  }
  return `${before}${replace}${after}`
}

async function listFiles(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 64 * 1_024 * 1_024 },
  )
  return stdout.split('\0').filter((file) => file !== '')
}

async function linkLibraries(directory: string): Promise<void> {
  const from = join(root, 'node_modules')
  const to = join(directory, 'node_modules')
  await mkdir(join(to, own), { recursive: true })
  for (const name of await readdir(from)) {
    if (name !== own) await symlink(join(from, name), join(to, name))
  }
  for (const name of await readdir(join(from, own))) {
    const workspace = (await realpath(join(from, own, name))).slice(root.length)
    await symlink(join(directory, workspace), join(to, own, name))
  }
}
