import * as bulkActions from '@despatch/contracts/administration/bulk-action-operations'
import * as overseenCallbacks from '@despatch/contracts/administration/callback-operations'
import * as letters from '@despatch/contracts/administration/letter-operations'
import * as administration from '@despatch/contracts/administration/operations'
import * as printJobs from '@despatch/contracts/administration/print-job-operations'
import * as printRuns from '@despatch/contracts/administration/print-run-operations'
import * as providers from '@despatch/contracts/administration/provider-operations'
import * as queues from '@despatch/contracts/administration/queue-operations'
import * as recordSets from '@despatch/contracts/administration/record-set-operations'
import * as sessions from '@despatch/contracts/administration/session-operations'
import * as volumes from '@despatch/contracts/administration/volume-operations'
import * as driverFind from '@despatch/contracts/driver-find/operations'
import * as driverSources from '@despatch/contracts/driver-sources/operations'
import * as fullDriverEnquiry from '@despatch/contracts/full-driver-enquiry/operations'
import * as fulfilment from '@despatch/contracts/print-fulfilment/operations'
import * as production from '@despatch/contracts/print-fulfilment/production-operations'
import * as sites from '@despatch/contracts/print-fulfilment/site-operations'
import * as callbacks from '@despatch/contracts/print-request/callback-operations'
import * as printRequest from '@despatch/contracts/print-request/operations'
import * as sendControl from '@despatch/contracts/print-request/send-control-operations'
import * as access from '@despatch/contracts/thirdparty-access/operations'
import * as uat from '@despatch/contracts/uat/operations'
import * as vehicleEnquiry from '@despatch/contracts/vehicle-enquiry/operations'
import { expect, test } from 'vitest'
import { paths, readText, type SourceFile, sources } from './tree.ts'

type Route = { method: string; url: string }

const routes = Object.fromEntries(
  Object.entries({
    ...administration,
    ...bulkActions,
    ...overseenCallbacks,
    ...letters,
    ...printJobs,
    ...printRuns,
    ...providers,
    ...queues,
    ...recordSets,
    ...sessions,
    ...volumes,
    ...fulfilment,
    ...production,
    ...sites,
    ...printRequest,
    ...callbacks,
    ...sendControl,
    ...access,
    ...vehicleEnquiry,
    ...fullDriverEnquiry,
    ...driverFind,
    ...driverSources,
    ...uat,
  }).filter((entry): entry is [string, Route & (typeof entry)[1]] => isRoute(entry[1])),
)
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

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value
}

/** The route by the name under which the file imports it from its contract. */
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

/** With its method, unless no other operation has the same address. Parameters may be of any value or name. */
function namesRoute({ text }: SourceFile, { method, url }: Route): boolean {
  const isShared = Object.values(routes).filter((route) => route.url === url).length > 1
  const path = url
    .replace(/^\/[\w-]+\/v1/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/\\s]+')
  const before = isShared ? `${method}['"]?,?\\s*['"\`]?` : `['"\`\\s]`
  return new RegExp(`${before}(?:/[\\w-]+/v1)?${path}(?=['"\`\\s?])`).test(text)
}
