import { expect, test } from 'vitest'
import { placesOf, programs, type SourceFile } from './tree.ts'

/** Services whose API knows no caller. Each of their routes must be open, so that it is limited, or check for itself. */
const withoutCaller = /^services\/(uat|ops-console|gateway|driver-sources|pipeline|callbacks)\//

test('each open route is registered with an API, which limits it for each source address', () => {
  const open = programs.filter(({ text }) => /\bopen: true\b/.test(text))
  const servers = programs.filter(({ text }) => /\b(createServer|Fastify)\(/.test(text))

  expect(open.length).toBeGreaterThan(8)
  expect(servers.map(({ path }) => path)).toEqual([
    'docs/examples/callbacks/receiver.mjs',
    'docs/examples/client/receive-callbacks.mjs',
    // an internal tool, which a provider runs on its own machine
    'infra/cli/src/conformance/kit-server.ts',
    // for the browser on this machine, until Ctrl-C
    'infra/cli/src/templates/preview-server.ts',
    'infra/demo/src/callback-receiver.ts',
    // hands requests over to the APIs, and answers probes
    'infra/standalone/src/gateway.ts',
    'packages/embedded/src/free-port.ts',
    // requires a signature
    'packages/embedded/src/object-store.ts',
    // never listens: the page of the reference is read from it
    'packages/http/src/api-reference.ts',
    'packages/http/src/api.ts',
    // for itself alone, for a second
    'scripts/calibrate.mjs',
  ])
})

test.each(routesOf(programs.filter(({ path }) => withoutCaller.test(path))))(
  '$place is open and therefore limited, or requires a token',
  ({ route }) => {
    expect(route).toMatch(/config: \{ open: true|onRequest/)
  },
)

test('every API receives the settings of the source limit', () => {
  const creators = programs.filter(
    ({ path, text }) =>
      /^(services|packages\/enquiry)\//.test(path) && /\bcreate(Health)?Api\(/.test(text),
  )
  const without = creators.filter(({ text }) => !/\.\.\.listen(Options\(config\))?,/.test(text))

  expect(creators.length).toBeGreaterThan(9)
  expect(without.map(({ path }) => path)).toEqual([])
})

/** Returns the text of each route that the files register. */
function routesOf(files: readonly SourceFile[]): { place: string; route: string }[] {
  return files.flatMap((file) => {
    const pattern = /\bapi\.route\(\{/g
    const places = placesOf(pattern, [file])
    return [...file.text.matchAll(pattern)].map(({ index }, number) => ({
      place: places[number]!,
      route: file.text.slice(index, file.text.indexOf('handler:', index)),
    }))
  })
}
