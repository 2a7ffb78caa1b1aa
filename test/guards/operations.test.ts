import { headersOfTransfer } from '@despatch/testing/unlisted-headers'
import { expect, test } from 'vitest'
import { allOperations, type Route } from '../stack/all-operations.ts'
import { paths, readText, type SourceFile, sources } from './tree.ts'

const operations = paths
  .map((path) => ({
    path,
    service: /^(services\/[^/]+)\/src\/operations\/[\w-]+\.ts$/.exec(path)?.[1],
  }))
  .flatMap(({ path, service }) =>
    service ? importedBy(path).map((its) => ({ ...its, path, service })) : [],
  )

test('every operation of an API has one file, named after the operation or its noun', () => {
  const found = operations.map(({ api, id }) => `${api} ${id}`)
  const alone = operations.filter(({ path }) => importedBy(path).length === 1)

  expect(found.sort()).toEqual(allOperations.map(({ api, id }) => `${api} ${id}`).sort())
  for (const { path, id } of alone) expect(path).toContain(`/${inKebabCase(id)}.ts`)
})

test.each(operations)('$id in $path has a component test', ({ api, id, path, service }) => {
  const route = routeOf(api, id, path)
  const tests = sources.filter(
    (source) =>
      source.path.startsWith(`${service}/test/`) && /component\.test\.ts$/.test(source.path),
  )

  const found = tests.filter(
    (source) => namesFile(source, inKebabCase(id)) || namesRoute(source, route),
  )

  expect(found.map((source) => source.path)).not.toEqual([])
})

test.each(operations.filter(({ path, id }) => sentHeaders(path, id).length > 0))(
  'the OpenAPI document lists the headers that $id in $path sends',
  ({ path, api, id }) => {
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

    expect(sentHeaders(path, id).filter((sent) => !isListed(sent))).toEqual([])
  },
)

type SentHeader = { name: string; status: RegExp }

/**
 * Returns the headers that the operation's part of the file names, as text or as a constant, and the statuses that it can
 * send them with. Those that say how a response is sent are left out. Component tests check what other files send.
 */
function sentHeaders(path: string, id: string): SentHeader[] {
  const whole = readText(path)
  const parts = whole.split(/^(?=export function )/m)
  const text =
    importedBy(path).length === 1
      ? whole
      : parts.filter((part) => part.includes(`perations.${id},`)).join()
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

function routeOf(api: string, id: string, path: string): Route {
  const found = allOperations.find((operation) => operation.api === api && operation.id === id)
  if (!found) throw new Error(`${path} imports ${id}, which is no operation of ${api}`)
  return found.route
}

/** Returns the operations that the file imports from the contracts of its API: one as `operation`, or several. */
function importedBy(path: string): { api: string; id: string }[] {
  const text = readText(path)
  const [, one, itsApi] =
    /import \{\s*(?:[^}]*?\b)?(\w+) as operation\b[^}]*\} from '@despatch\/contracts\/([\w-]+)\//.exec(
      text,
    ) ?? []
  if (one && itsApi) return [{ api: itsApi, id: one }]
  const contracts = /import \* as (\w+) from '@despatch\/contracts\/([\w-]+)\//g
  const several = [...text.matchAll(contracts)].flatMap(([, name, api]) =>
    [...text.matchAll(new RegExp(`\\.\\.\\.${name}\\.(\\w+),`, 'g'))].map(([, id]) => ({
      api: api!,
      id: id!,
    })),
  )
  if (several.length === 0)
    throw new Error(`${path} does not import its operations from a contract`)
  return several
}

function inKebabCase(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
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
  return new RegExp(`${before}(?:/[\\w-]+/v1)?${path}(?=['"\`\\s?:])`).test(text)
}
