import { expect, test } from 'vitest'
import { importsOf, paths, readText, type SourceFile, sources } from './tree.ts'
import { dependenciesOf, dependencyGroups, rootManifest, workspaces } from './workspaces.ts'

type Lock = { packages: Record<string, Record<string, unknown> & { resolved?: string }> }

const lock: Lock = JSON.parse(readText('package-lock.json'))
const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?$/
const tags: Record<string, string> = {
  'packages/domain': 'pure',
  'packages/contracts': 'pure',
  'packages/documents': 'pure',
  'packages/synthetic': 'pure',
  'packages/uat-scenarios': 'pure',
  'packages/testing': 'testing',
  packages: 'adapter',
  services: 'service',
  infra: 'launcher',
  test: 'testing',
}

test('every folder with source code is a workspace', () => {
  const folders = paths
    .map((path) => /^(?:packages|services)\/[^/]+(?=\/)/.exec(path)?.[0])
    .filter((folder) => folder !== undefined)

  expect([...new Set(folders)]).toEqual(
    workspaces.map(({ path }) => path).filter((path) => /^(packages|services)\//.test(path)),
  )
})

test.each(workspaces)(
  '$path is private, named after its folder, and has the tag of its folder',
  ({ path, manifest }) => {
    const folder = path.split('/').at(-1)
    const turbo = JSON.parse(readText(`${path}/turbo.json`))

    expect(manifest).toMatchObject({
      private: true,
      name: `@despatch/${path === 'test' ? 'system-tests' : folder}`,
      type: 'module',
      exports: { './*': './src/*.ts' },
    })
    expect(turbo).toMatchObject({
      extends: ['//'],
      tags: [tags[path] ?? tags[path.split('/')[0]!]],
    })
  },
)

test.each(workspaces.filter(({ path }) => path !== 'test'))(
  '$path has a task for each kind of its tests, with the right inputs',
  ({ path, manifest }) => {
    const files = sources.filter((file) => file.path.startsWith(`${path}/`))
    const components = files.filter((file) => file.path.endsWith('.component.test.ts'))
    const units = files.filter((file) => /\/src\/.*\.test\.ts$/.test(file.path))
    const helpers = '@despatch/testing'
    const usesHelpers = withImports(units).some((file) =>
      importsOf(file).some(
        // each unit task has this one among its inputs, since it imports nothing
        (module) => module.startsWith(`${helpers}/`) && module !== `${helpers}/effort`,
      ),
    )
    const { tasks } = JSON.parse(readText(`${path}/turbo.json`))

    expect(manifest.scripts ?? {}).toEqual({
      ...(units.length > 0 && { unit: `vitest run --root ../.. --project unit ${path}/` }),
      ...(components.length > 0 && {
        component: `vitest run --root ../.. --project component --project extensive --project lost-replies ${path}/`,
      }),
    })
    expect(tasks).toEqual(
      usesHelpers ? { unit: { dependsOn: ['$TURBO_EXTENDS$', `${helpers}#sources`] } } : undefined,
    )
  },
)

test('turbo.json has every tag', () => {
  const { boundaries } = JSON.parse(readText('turbo.json'))

  expect(Object.keys(boundaries.tags).sort()).toEqual([...new Set(Object.values(tags))].sort())
})

test('each tool has one configuration, except the compiler in browsers, and it includes every source', () => {
  const browser = 'services/ops-console/public/'
  const configurations = /(^|\/)(tsconfig[^/]*\.json|biome\.jsonc?|vitest\.config\.\w+)$/
  const { include } = JSON.parse(readText('tsconfig.json')) as { include: string[] }
  const folders = include.map((pattern) => pattern.replace(/\*.*$/, ''))
  const unseen = paths.filter(
    (path) =>
      (path.endsWith('.tsx') && !path.startsWith(browser)) ||
      (path.endsWith('.ts') &&
        !folders.some((folder) => (folder ? path.startsWith(folder) : !path.includes('/')))),
  )

  expect(paths.filter((path) => configurations.test(path))).toEqual([
    'biome.json',
    `${browser}tsconfig.json`,
    'tsconfig.json',
    'vitest.config.ts',
  ])
  expect(unseen).toEqual([])
})

test('versions are exact, except for our own packages and Node', () => {
  const all = [{ path: '.', dependencies: dependenciesOf(rootManifest) }, ...workspaces]
  const loose = all.flatMap(({ path, dependencies }) =>
    Object.entries(dependencies)
      .filter(([name, version]) => !isPinned(name, version))
      .map(([name, version]) => `${path}: ${name} ${version}`),
  )

  expect(loose).toEqual([])
})

test('a library has one version in all workspaces', () => {
  const versions = Map.groupBy(
    workspaces.flatMap(({ dependencies }) => Object.entries(dependencies)),
    ([name]) => name,
  )
  const many = [...versions].filter(
    ([, uses]) => new Set(uses.map(([, version]) => version)).size > 1,
  )

  expect(many.map(([name]) => name)).toEqual([])
})

test('the lockfile has the dependencies of the manifests', () => {
  const manifests = [{ path: '', manifest: rootManifest }, ...workspaces]
  const expected = manifests.map(({ path, manifest }) => [path, onlyDependencies(manifest)])
  const found = manifests.map(({ path }) => [path, onlyDependencies(lock.packages[path] ?? {})])

  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
})

test('the lockfile has no registry host', () => {
  const resolved = Object.entries(lock.packages)
    .filter(([, { resolved }]) => resolved?.includes(':'))
    .map(([path]) => path)

  expect(resolved).toEqual([])
})

test('the lockfile has the hash of every package that an installation fetches', () => {
  const fetched = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  const without = fetched.filter(
    ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)),
  )

  expect(fetched.length).toBeGreaterThan(500)
  expect(without.map(([path]) => path)).toEqual([])
})

function onlyDependencies(source: object): object {
  return Object.fromEntries(
    Object.entries(source).filter(([key]) => dependencyGroups.some((group) => group === key)),
  )
}

function isPinned(name: string, version: string): boolean {
  if (name.startsWith('@despatch/')) return version === '*'
  return name === 'node' ? version === '24.x' : exact.test(version)
}

/** Returns the files and what they import by relative paths, directly or not. */
function withImports(files: SourceFile[]): SourceFile[] {
  const found = new Set(files)
  for (const file of found) {
    const modules = importsOf(file).filter((module) => module.startsWith('.'))
    const targets = modules.map((module) => new URL(module, `file:///${file.path}`).pathname)
    for (const source of sources) if (targets.includes(`/${source.path}`)) found.add(source)
  }
  return [...found]
}
