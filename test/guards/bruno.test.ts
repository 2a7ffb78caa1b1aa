import { runInNewContext } from 'node:vm'
import { bruToJsonV2 } from '@usebruno/lang'
import { expect, test } from 'vitest'
import { dereference, type Json } from '../stack/dereference.ts'
import { paths, readText } from './tree.ts'

const environments = ['consumer', 'provider'].map((name) => `docs/bruno/environments/${name}.bru`)
const folders = paths.filter((path) => /^docs\/bruno\/.*\/folder\.bru$/.test(path))
const apis = folders.map((path) => path.split('/')[2]!)
const operations = apis.flatMap((api) => {
  const document = dereference(JSON.parse(readText(`docs/openapi/${api}.json`)))
  return Object.values<Json>(document.paths)
    .flatMap((path) => Object.values<Json>(path))
    .map((operation) => ({ file: `docs/bruno/${api}/${operation.operationId}.bru`, operation }))
})

test('the collection for Bruno has a request for each operation, and nothing else', () => {
  expect(paths.filter((path) => path.startsWith('docs/bruno/')).toSorted()).toEqual(
    [
      'docs/bruno/bruno.json',
      'docs/bruno/collection.bru',
      ...environments,
      ...folders,
      ...operations.map(({ file }) => file),
    ].toSorted(),
  )
})

test('a request takes from a response only what its example has', () => {
  const missed = operations.flatMap(({ file, operation }) => {
    const taken = bruToJsonV2(readText(file)).vars?.res ?? []
    const success = Object.entries<Json>(operation.responses).find(([status]) => status < '300')
    const [example] = Object.values<Json>(
      success?.[1].content?.['application/json']?.examples ?? {},
    )
    return taken
      .filter(
        ({ value }) =>
          typeof runInNewContext(value, { res: { body: example?.value } }) !== 'string',
      )
      .map(({ name }) => `${file}: ${name}`)
  })

  expect(missed).toEqual([])
})

test('each variable of a request is one of its environment or of another request', () => {
  const taken = operations.flatMap(({ file }) => bruToJsonV2(readText(file)).vars?.res ?? [])
  const ofCallers = ['baseUrl', 'userName', 'password', 'apiKey', 'newPassword', '$guid']
  const known = new Set([...ofCallers, ...taken.map(({ name }) => name)])
  const files = ['docs/bruno/collection.bru', ...operations.map(({ file }) => file)]

  const unknown = files.flatMap((file) =>
    [...readText(file).matchAll(/\{\{([^}]+)\}\}/g)]
      .filter(([, name]) => !known.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )

  expect(unknown).toEqual([])
})

/** Runs the requests of an operation's scripts as Bruno does. Returns the environment afterwards. */
function runScripts(operation: string, environment: Record<string, string>, response: object) {
  const { script = {} } = bruToJsonV2(readText(`docs/bruno/thirdparty-access/${operation}.bru`))
  const values = { ...environment }
  const bru = {
    getEnvVar: (name: string) => values[name],
    setEnvVar: (name: string, value: string, { persist }: { persist: boolean }) => {
      expect(persist).toBe(true)
      values[name] = value
    },
  }
  runInNewContext(script.req ?? '', { bru })
  runInNewContext(script.res ?? '', { bru, res: response })
  return values
}

test('changing the password sets none that is published, and the environment has the new one', () => {
  const { body } = bruToJsonV2(readText('docs/bruno/thirdparty-access/changePassword.bru'))
  const environment = { password: 'old', newPassword: 'new' }

  expect(JSON.parse(body!.json!).newPassword).toBe('{{newPassword}}')
  expect(() => runScripts('changePassword', { password: 'old' }, { status: 200 })).toThrow(
    'Enter newPassword',
  )
  expect(runScripts('changePassword', environment, { status: 401 })).toEqual(environment)
  expect(runScripts('changePassword', environment, { status: 200 })).toEqual({
    password: 'new',
    newPassword: '',
  })
})

test('changing the API key keeps the new one in the environment', () => {
  const refused = { status: 409, body: [] }
  const changed = { status: 200, body: { newApiKey: 'new' } }

  expect(runScripts('changeApiKey', { apiKey: 'old' }, refused)).toEqual({ apiKey: 'old' })
  expect(runScripts('changeApiKey', { apiKey: 'old' }, changed)).toEqual({ apiKey: 'new' })
})
