import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { documentChanges } from '../stack/breaking-changes.ts'
import { paths, readText, root } from './tree.ts'

const release = readText('.ci/previous-release').trim()
const isDocument = (path: string) => /^docs\/openapi\/[\w-]+\.json$/.test(path)

/**
 * The breaking changes since the previous release, with what was and what is. docs/upgrading.md tells callers what to do
 * about each. Remove them when .ci/previous-release names the release that has them.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {}

test('the documents have no breaking change since the previous release', () => {
  const released = execGit('ls-tree', '--name-only', release, 'docs/openapi/').split('\n')
  const read = (listed: readonly string[], textOf: (path: string) => string) =>
    Object.fromEntries(listed.filter(isDocument).map((path) => [path, JSON.parse(textOf(path))]))

  const changes = documentChanges(
    read(released, (path) => execGit('show', `${release}:${path}`)),
    read(paths, readText),
  )

  const sorted = Object.entries(accepted).map(([path, each]) => [path, each.toSorted()])
  expect(changes).toEqual(Object.fromEntries(sorted))
})

function execGit(...command: string[]): string {
  try {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 100 * 1024 ** 2 } as const
    return execFileSync('git', command, options)
  } catch (cause) {
    const hint = 'fetch the history of this clone with "git fetch --unshallow"'
    throw new Error(`The previous release ${release} cannot be read: ${hint}`, { cause })
  }
}
