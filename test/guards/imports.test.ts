import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, programs, type SourceFile } from './tree.ts'
import { workspaces } from './workspaces.ts'

/**
 * Libraries and the workspaces whose programs may import them: one each, except for clients. A name that ends in a
 * slash is a scope.
 */
const adapters = [
  ['bullmq', 'packages/queue'],
  ['ioredis', 'packages/redis'],
  ['fastify', 'packages/http'],
  ['@fastify/swagger', 'packages/http'],
  ['@aws-sdk/', 'packages/object-store and packages/postgres'],
  ['jose', 'packages/access'],
  ['rate-limiter-flexible', 'packages/access'],
  ['pino', 'packages/telemetry'],
  ['prom-client', 'packages/telemetry'],
  ['undici', 'packages/object-store and services/callbacks and services/full-driver-enquiry'],
  ['@smithy/', 'packages/object-store'],
  ['opossum', 'services/full-driver-enquiry'],
  ['pg-copy-streams', 'packages/store'],
] as const

test.each(adapters)('the library %s is imported only by %s', (library, adapter) => {
  const importers = programs
    .filter((file) => importsOf(file).some((module) => isOf(library, module)))
    .map(workspaceOf)

  expect([...new Set(importers)].sort().join(' and ')).toBe(adapter)
})

test('only the store, what it builds on, services and the doctor contain SQL', () => {
  const mayWrite = /^(packages\/(store|postgres|work)|services\/[^/]+|infra\/cli)$/
  const others = programs
    .filter((file) => reaches(file, 'kysely') && !mayWrite.test(workspaceOf(file)))
    .map(({ path }) => path)

  expect(others).toEqual([])
})

/** Large libraries for work that threads do. */
const loadedLate = ['pdf-lib', '@cantoo/fontkit', '@hyzyla/pdfium', 'sharp', 'bwip-js']

test('the start of the system imports no library that the main thread may not need', () => {
  const reached = new Map(programs.map((file) => [file.path, file]))
  const files = [reached.get('infra/standalone/src/main.ts')!]
  for (const file of files) {
    for (const module of staticImportsOf(file)) {
      const path = pathOf(file, module)
      const next = path && reached.get(path)
      if (!next || files.includes(next)) continue
      files.push(next)
    }
  }
  const early = files.flatMap((file) =>
    staticImportsOf(file)
      .filter((module) => loadedLate.some((library) => isOf(library, module)))
      .map((module) => `${file.path} imports ${module}`),
  )

  expect(files.length).toBeGreaterThan(500)
  expect(early).toEqual([])
})

/** Returns the modules that loading the file loads, without those of types and of `import()`. */
function staticImportsOf({ text }: SourceFile): string[] {
  const pattern = /^(?:import|export)(?! type\b)(?:[^'()]*?\bfrom)? '([^']+)'/gm
  return [...text.matchAll(pattern)].map(([, module]) => module!)
}

/** Returns the path from the root of a module of the tree. */
function pathOf({ path }: SourceFile, module: string): string | undefined {
  if (module.startsWith('.')) return join(dirname(path), module)
  const [scope, name, ...rest] = module.split('/')
  const workspace = workspaces.find(({ manifest }) => manifest.name === `${scope}/${name}`)
  return workspace && `${workspace.path}/src/${rest.join('/')}.ts`
}

function isOf(library: string, module: string): boolean {
  return library.endsWith('/')
    ? module.startsWith(library)
    : module === library || module.startsWith(`${library}/`)
}

function reaches(file: SourceFile, name: string): boolean {
  return importsOf(file).some((module) => isOf(name, module))
}

function workspaceOf({ path }: SourceFile): string {
  return workspaces.find((workspace) => path.startsWith(`${workspace.path}/`))?.path ?? '.'
}
