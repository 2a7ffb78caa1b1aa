import { baselineFiles } from '@despatch/store/migration/baseline'
import { expect, test } from 'vitest'
import { importsOf, isTest, programs, type SourceFile, sources } from './tree.ts'

const source = 'packages/store/src/'
const modules = programs.filter(({ path }) => path.startsWith(source))

/** The nouns in their order: the modules of a noun import only their own noun and the nouns before it. */
const nouns = [
  'migration',
  'access',
  'template',
  'outage',
  'enquiry',
  'record-set',
  'purge',
  'callback',
  'print-job',
  'work',
  'provider',
  'print-run',
  'serial-stock',
  'posting',
  'reprint',
  'recall',
  'item-event',
  'bulk-action',
  'overview',
]

test('every noun of the store has a place in the order', () => {
  const found = modules.map(nounOf).filter((noun) => noun !== undefined)

  expect([...new Set(found)].filter((noun) => !nouns.includes(noun))).toEqual([])
})

test('the files of the schema equal the nouns, in their order', () => {
  const nounOfFile = (name: string) =>
    nouns.find((noun) => name === `${noun}.sql` || name.startsWith(`${noun}-`)) ?? name
  const found = [...new Set(baselineFiles.map(nounOfFile))]

  expect(found).toEqual(nouns.filter((noun) => found.includes(noun)))
})

test('a noun of the store imports only the nouns before it', () => {
  const against = modules.flatMap((file) =>
    storeImportsOf(file)
      .map((path) => ({ path, text: '' }))
      .filter((imported) => placeOf(imported) > placeOf(file))
      .map(({ path }) => `${file.path} imports ${path}`),
  )

  expect(against).toEqual([])
})

test('no module of the store imports itself indirectly, not even for a type', () => {
  const imports = new Map(modules.map((file) => [file.path, storeImportsOf(file)]))
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (imports.get(from) ?? []).some((path) => {
      if (path === to) return true
      if (seen.has(path)) return false
      seen.add(path)
      return reaches(path, to, seen)
    })

  const inCycles = [...imports.keys()].filter((path) => reaches(path, path))

  expect(inCycles).toEqual([])
})

test('no import renames a function of the store', () => {
  const renamed = /\b\w+ as \w+/g

  const found = programs
    .flatMap(({ path, text }) => importStatements(text).map((statement) => ({ path, statement })))
    .filter(({ path, statement }) => importsStore(path, statement))
    .flatMap(({ path, statement }) =>
      (statement.match(renamed) ?? []).map((name) => `${path}: ${name}`),
    )

  expect(found).toEqual([])
})

// A test of another workspace counts as a user, because it may not import the inside of a service.
test('code that only one service uses is in that service', () => {
  const usersOf = new Map<string, Set<string>>()
  for (const file of sources) {
    // tests of the store move with what they test
    if (isTest(file.path) && file.path.startsWith('packages/store/')) continue
    for (const path of storeImportsOf(file)) {
      usersOf.set(path, (usersOf.get(path) ?? new Set()).add(workspaceOf(file)))
    }
  }

  const ofOneService = [...usersOf]
    .filter(([, users]) => users.size === 1 && /^(services\/|infra\/cli$)/.test([...users][0]!))
    .map(([path]) => path.slice(source.length, -'.ts'.length))

  expect(ofOneService).toEqual([])
})

/** Returns the modules of the store that a file imports, as paths. */
function storeImportsOf(file: SourceFile): string[] {
  return importsOf(file).flatMap((module) => {
    if (module.startsWith('@despatch/store/')) {
      return [`${source}${module.slice('@despatch/store/'.length)}.ts`]
    }
    if (!module.startsWith('.') || !file.path.startsWith('packages/store/')) return []
    const path = new URL(module, `file:///${file.path}`).pathname.slice(1)
    return path.startsWith(source) ? [path] : []
  })
}

function nounOf({ path }: SourceFile): string | undefined {
  const [noun, ...rest] = path.slice(source.length).split('/')
  return rest.length > 0 ? noun : undefined
}

/** Modules that belong to no noun come first. */
function placeOf(file: SourceFile): number {
  const noun = nounOf(file)
  return noun === undefined ? 0 : nouns.indexOf(noun)
}

function workspaceOf({ path }: SourceFile): string {
  return path.split('/').slice(0, 2).join('/')
}

function importStatements(text: string): string[] {
  return [...text.matchAll(/^import [\s\S]*?from '[^']+'/gm)].map(([statement]) => statement)
}

/** Whether the statement imports from the store. SQL that a service keeps in a file of its own counts too. */
function importsStore(path: string, statement: string): boolean {
  if (/ from '@despatch\/store\//.test(statement)) return true
  return / from '\./.test(statement) && /^(packages\/store|services)\//.test(path)
}
