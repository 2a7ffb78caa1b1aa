import { expect, test } from 'vitest'
import { paths, readText } from './tree.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked keyword by keyword
type Json = any

const documents = paths
  .filter((path) => /^docs\/openapi\/[\w-]+\.json$/.test(path))
  .map((path) => ({ path, document: JSON.parse(readText(path)) }))

test.each(documents)(
  '$path names the shapes of bodies, responses and list items',
  ({ document }) => {
    const unnamed = [...placesOf(document)].filter(
      ({ at, value }) => /\/(schema|items)$/.test(at) && value.properties,
    )

    expect(unnamed.map(({ at }) => at)).toEqual([])
  },
)

test.each(documents)('$path writes no shape twice', ({ document }) => {
  const shapes = [...placesOf(document)].filter(
    ({ at, value }) => (value.properties && !/\/properties$/.test(at)) || value.enum?.length > 1,
  )
  const byShape = Map.groupBy(shapes, ({ value: { description: _, ...shape } }) =>
    JSON.stringify(shape),
  )

  const repeated = [...byShape.values()].filter(({ length }) => length > 1)
  expect(repeated.map((places) => places.map(({ at }) => at))).toEqual([])
})

test.each(documents)('$path defines what it refers to, and nothing else', ({ document }) => {
  const refs = [...placesOf(document)].flatMap(({ value }) =>
    typeof value.$ref === 'string' ? [value.$ref] : [],
  )
  const { schemas, headers, parameters } = document.components
  const defined = Object.entries({ schemas, headers, parameters }).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  )

  expect(refs.filter((ref) => !defined.includes(ref))).toEqual([])
  expect(defined.filter((ref) => ref.includes('/schemas/') && !refs.includes(ref))).toEqual([])
})

test.each(documents)('$path describes its tags and schemes', ({ document }) => {
  const operations = Object.values<Json>(document.paths).flatMap((path) =>
    Object.values<Json>(path),
  )
  const tags = document.tags.map(({ name }: Json) => name)
  const schemes = Object.keys(document.components.securitySchemes ?? {})
  const ids = operations.map(({ operationId }) => operationId)

  expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(new Set(tags))
  expect(new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)))).toEqual(
    new Set(schemes),
  )
  expect(ids).toEqual([...new Set(ids)])
})

/** Yields every object of a document with its path. */
function* placesOf(value: Json, at = ''): Generator<{ at: string; value: Json }> {
  if (typeof value !== 'object' || value === null) return
  yield { at, value }
  for (const [key, member] of Object.entries(value)) yield* placesOf(member, `${at}/${key}`)
}
