import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type UnpackedRelease = AsyncDisposable & { path: string }

/**
 * Unpacks the tree of a commit into a temporary directory, with the dependencies of this tree. Despatch's own packages
 * are those of the commit. Throws if the commit is not in the history of this clone.
 */
export async function unpackRelease(root: string, commit: string): Promise<UnpackedRelease> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch((cause) => {
    throw new Error(
      `The commit of .ci/previous-release is not in this clone: fetch its history with "git fetch --unshallow"`,
      { cause },
    )
  })
  const path = await mkdtemp(join(tmpdir(), 'despatch-release-'))
  const release = { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  try {
    const archive = join(path, 'release.tar')
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: root })
    await run('tar', ['-xf', archive, '-C', path])
    await linkDependencies(root, path)
    return release
  } catch (error) {
    await release[Symbol.asyncDispose]()
    throw error
  }
}

async function linkDependencies(root: string, release: string): Promise<void> {
  const modules = join(release, 'node_modules')
  await mkdir(join(modules, '@despatch'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@despatch' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const group of ['packages', 'services']) {
    for (const name of await readdir(join(release, group))) {
      await symlink(join(release, group, name), join(modules, '@despatch', name))
    }
  }
}
