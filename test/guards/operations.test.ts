import { headersOfTransfer } from '@despatch/testing/unlisted-headers'
import { expect, test } from 'vitest'
import { allOperations, type Route } from '../stack/all-operations.ts'
import { paths, readText, type SourceFile, sources } from './tree.ts'

const operations = paths
  .map((path) => /^(services\/[^/]+)\/src\/operations\/([\w-]+)\.ts$/.exec(path))
  .filter((match) => match !== null)
  .map(([path, service, file]) => ({ path, service: service!, file: file! }))

test('every operation of an API has one file of its name', () => {
  const named = operations.map(({ path, file }) => `${importedBy(path).api} ${inCamelCase(file)}`)

  expect(named.sort()).toEqual(allOperations.map(({ api, id }) => `${api} ${id}`).sort())
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

test.each(operations.filter(({ path }) => sentHeaders(path).length > 0))(
  'the OpenAPI document lists the headers that $path sends',
  ({ path }) => {
    const { api, id } = importedBy(path)
    const document = JSON.parse(
      readText(`docs/openapi/${api.replace('print-fulfilment', 'fulfilment')}.json`),
    )
    const found = Object.values<object>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === id)
    const listed = Object.entries<{ headers?: object }>(found.responses).flatMap(
      ([status, { headers = {} }]) =>
        Object.keys(headers).map((name) => ({ name: name.toLowerCase(), status })),
    )
    const isListed = (sent: SentHeader) =>
      listed.some(({ name, status }) => name === sent.name && sent.status.test(status))

    expect(sentHeaders(path).filter((sent) => !isListed(sent))).toEqual([])
  },
)

type SentHeader = { name: string; status: RegExp }

/**
 * Returns the headers that the file names, as text or as a constant, and the statuses that it can send them with. Those
 * that say how a response is sent are left out. Component tests check what other files send.
 */
function sentHeaders(path: string): SentHeader[] {
  const text = readText(path)
  const named = /(?:\.code\((\d+)\)\s*)?\.header\(\s*('?)([\w-]+)\2,/g
  const one = [...text.matchAll(named)].map(([, status, quote, name]) => ({
    status,
    name: quote ? name! : textOf(name!),
  }))
  const several = [...text.matchAll(/\.headers\(\{([^}]*)\}/g)].flatMap(([, list = '']) => [
    ...[...list.matchAll(/(?:^|[{,\s])'?([\w-]+)'?: /g)].map(([, name]) => name!),
    ...[...list.matchAll(/\[(\w+)\]: /g)].map(([, name]) => textOf(name!)),
  ])
  return [...one, ...several.map((name) => ({ status: undefined, name }))]
    .map(({ status, name }) => ({ status, name: name.toLowerCase() }))
    .filter(({ name }) => !headersOfTransfer.has(name))
    .map(({ status, name }) => ({ name, status: new RegExp(`^${status ?? usualStatus(name)}`) }))
}

function usualStatus(name: string): string {
  return name === 'retry-after' ? '[45]' : '[23]'
}

/** Returns the text of a constant, which any file may declare. */
function textOf(constant: string): string {
  const declared = new RegExp(`\\bconst ${constant} = '([^']+)'`)
  const [value] = sources.flatMap(({ text }) => declared.exec(text)?.[1] ?? [])
  if (value === undefined) throw new Error(`No file declares the text of ${constant}`)
  return value
}

/** Returns the route that the file imports from its contract. */
function routeOf(path: string): Route {
  const { api, id } = importedBy(path)
  const found = allOperations.find((operation) => operation.api === api && operation.id === id)
  if (!found) throw new Error(`${path} imports ${id}, which is no operation of ${api}`)
  return found.route
}

/** Returns which operation the file imports from the contract of its API as `operation`. */
function importedBy(path: string): { api: string; id: string } {
  const [, id, api] =
    /import \{\s*(?:[^}]*?\b)?(\w+) as operation\b[^}]*\} from '@despatch\/contracts\/([\w-]+)\//.exec(
      readText(path),
    ) ?? []
  if (!id || !api) throw new Error(`${path} does not import its operation from a contract`)
  return { api, id }
}

function inCamelCase(file: string): string {
  return file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function namesFile({ path }: SourceFile, file: string): boolean {
  return path.endsWith(`/${file}.component.test.ts`)
}

/** Requires the method too if another operation has the same URL. Parameters may have any value or name. */
function namesRoute({ text }: SourceFile, { method, url }: Route): boolean {
  const isShared = allOperations.filter(({ route }) => route.url === url).length > 1
  const path = url
    .replace(/^\/[\w-]+\/v1/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/\\s]+')
  const before = isShared ? `${method}['"]?,?\\s*['"\`]?` : `['"\`\\s]`
  return new RegExp(`${before}(?:/[\\w-]+/v1)?${path}(?=['"\`\\s?])`).test(text)
}
