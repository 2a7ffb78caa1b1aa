import { expect, test } from 'vitest'
import { type Route, allOperations as routes } from '../stack/all-operations.ts'
import { paths, readText, type SourceFile, sources } from './tree.ts'

const operations = paths
  .map((path) => /^(services\/[^/]+)\/src\/operations\/([\w-]+)\.ts$/.exec(path))
  .filter((match) => match !== null)
  .map(([path, service, file]) => ({ path, service: service!, file: file! }))

test('every operation of a contract has one file of its name', () => {
  const inCamelCase = ({ file }: { file: string }) =>
    file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

  expect(operations.map(inCamelCase).sort()).toEqual(Object.keys(routes).sort())
})

test.each(operations)('$path has a component test', ({ path, service, file }) => {
  const route = routeOf(path)
  const tests = sources.filter(
    (source) =>
      source.path.startsWith(`${service}/test/`) && /component\.test\.ts$/.test(source.path),
  )

  const found = tests.filter((source) => namesFile(source, file) || namesRoute(source, route))

  expect(found.map((source) => source.path)).not.toEqual([])
})

/** Returns the route that the file imports from its contract as `operation`. */
function routeOf(path: string): Route {
  const [, name = ''] =
    /import \{\s*(?:[^}]*?\b)?(\w+) as operation\b[^}]*\}/.exec(readText(path)) ?? []
  const route = routes[name]
  if (!route) throw new Error(`${path} does not import its operation from a contract`)
  return route
}

function namesFile({ path }: SourceFile, file: string): boolean {
  return path.endsWith(`/${file}.component.test.ts`)
}

/** Requires the method too if another operation has the same URL. Parameters may have any value or name. */
function namesRoute({ text }: SourceFile, { method, url }: Route): boolean {
  const isShared = Object.values(routes).filter((route) => route.url === url).length > 1
  const path = url
    .replace(/^\/[\w-]+\/v1/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/\\s]+')
  const before = isShared ? `${method}['"]?,?\\s*['"\`]?` : `['"\`\\s]`
  return new RegExp(`${before}(?:/[\\w-]+/v1)?${path}(?=['"\`\\s?])`).test(text)
}
