import { paths, readText } from './tree.ts'

export type Manifest = {
  name: string
  private?: boolean
  type?: string
  exports?: unknown
  workspaces?: string[]
  scripts?: Record<string, string>
} & { [group in DependencyGroup]?: Record<string, string> }

type DependencyGroup = (typeof dependencyGroups)[number]

export const dependencyGroups = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const

export const rootManifest: Manifest = JSON.parse(readText('package.json'))

/** Every folder that the root manifest declares as a workspace. */
export const workspaces = paths
  .filter((path) => path.endsWith('/package.json') && isWorkspace(path.slice(0, -13)))
  .map((file) => {
    const manifest: Manifest = JSON.parse(readText(file))
    return { path: file.slice(0, -13), manifest, dependencies: dependenciesOf(manifest) }
  })

export function dependenciesOf(manifest: Manifest): Record<string, string> {
  return Object.assign({}, ...dependencyGroups.map((group) => manifest[group] ?? {}))
}

function isWorkspace(directory: string): boolean {
  return (rootManifest.workspaces ?? []).some((pattern) =>
    pattern.endsWith('/*')
      ? directory.slice(0, directory.lastIndexOf('/')) === pattern.slice(0, -2)
      : directory === pattern,
  )
}
