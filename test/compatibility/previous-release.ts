import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type PreviousRelease = {
  commit: string
  /** Why its databases cannot be upgraded to this tree. Undefined: they can. */
  lacks: string | undefined
}

/**
 * Returns the commit of .ci/previous-release. Its databases can be upgraded if they began with the baseline of this
 * tree, which begins with 0.2.0.
 */
export async function readPreviousRelease(root: string): Promise<PreviousRelease> {
  const commit = (await readFile(join(root, '.ci/previous-release'), 'utf8')).trim()
  const succeeds = (...command: string[]) =>
    run('git', command, { cwd: root }).then(
      () => true,
      () => false,
    )
  if (!(await succeeds('cat-file', '-e', `${commit}^{commit}`))) {
    return { commit, lacks: 'the previous release is not in the history of this clone' }
  }
  const hasBaseline = await succeeds('diff', '--quiet', commit, '--', 'packages/store/schema')
  return { commit, lacks: hasBaseline ? undefined : 'there is no release with this baseline yet' }
}
