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
  const ofCallers = ['baseUrl', 'userName', 'password', 'apiKey', '$guid']
  const known = new Set([...ofCallers, ...taken.map(({ name }) => name)])
  const files = ['docs/bruno/collection.bru', ...operations.map(({ file }) => file)]

  const unknown = files.flatMap((file) =>
    [...readText(file).matchAll(/\{\{([^}]+)\}\}/g)]
      .filter(([, name]) => !known.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )

  expect(unknown).toEqual([])
})
