import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { closed, dereference } from '../stack/dereference.ts'
import { paths, readText } from './tree.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked keyword by keyword
type Json = any

const documents = paths
  .filter((path) => /^docs\/openapi\/[\w-]+\.json$/.test(path))
  .map((path) => ({ path, document: JSON.parse(readText(path)) }))
  .map((each) => ({ ...each, operations: operationsOf(dereference(each.document)) }))

test.each(documents)(
  '$path names the schemas of bodies, responses and list items',
  ({ document }) => {
    const unnamed = [...placesOf(document)].filter(
      ({ at, value }) => /\/(schema|items)$/.test(at) && value.properties,
    )

    expect(unnamed.map(({ at }) => at)).toEqual([])
  },
)

test.each(documents)('$path contains no schema twice', ({ document }) => {
  const shapes = [...placesOf(document)].filter(
    ({ at, value }) => (value.properties && !/\/properties$/.test(at)) || value.enum?.length > 1,
  )
  const byShape = Map.groupBy(shapes, ({ value: { description: _, ...shape } }) =>
    JSON.stringify(shape),
  )

  const repeated = [...byShape.values()].filter(({ length }) => length > 1)
  expect(repeated.map((places) => places.map(({ at }) => at))).toEqual([])
})

test.each(documents)(
  '$path allows additional members in responses, for later releases',
  ({ operations }) => {
    const responses = operations.map((operation) => operation.responses)

    const closedPlaces = [...placesOf(responses)].filter(
      ({ value }) => value.additionalProperties === false,
    )

    expect(closedPlaces.map(({ at }) => at)).toEqual([])
  },
)

test.each(documents)('$path defines exactly the components that it refers to', ({ document }) => {
  const refs = [...placesOf(document)].flatMap(({ value }) =>
    typeof value.$ref === 'string' ? [value.$ref] : [],
  )
  const { schemas, headers, parameters, examples } = document.components
  const defined = Object.entries({ schemas, headers, parameters, examples }).flatMap(
    ([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  )

  expect(refs.filter((ref) => !defined.includes(ref))).toEqual([])
  expect(defined.filter((ref) => ref.includes('/schemas/') && !refs.includes(ref))).toEqual([])
})

test.each(documents)(
  '$path describes its tags and schemes, and the requirements of each operation',
  ({ document, operations }) => {
    const tags = document.tags.map(({ name }: Json) => name)
    const schemes = Object.keys(document.components.securitySchemes ?? {})
    const ids = operations.map(({ operationId }) => operationId)

    expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(new Set(tags))
    expect(new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))).toEqual(
      new Set(schemes),
    )
    expect(ids).toEqual([...new Set(ids)])
  },
)

const faultsOf = createFaultsOf()

test.each(documents)(
  '$path has valid examples of all JSON and of required parameters',
  ({ operations }) => {
    const faults = operations.flatMap((operation) =>
      examplesOf(operation).flatMap(({ at, schema, values }) => {
        const found = values.map((value) => faultsOf(schema, value)).join('')
        return values.length > 0 && found === '' ? [] : [`${operation.operationId} ${at}: ${found}`]
      }),
    )

    expect(faults).toEqual([])
  },
)

/** What the example of an operation that changes something shows: the state that it leads to. */
const outcomes: Readonly<Record<string, Json>> = {
  'print-request holdPrintJob 200': { status: 'PENDING', heldSince: expect.any(String) },
  'print-request releasePrintJob 200': { status: 'PENDING' },
  'print-request replayCallback 202': { status: 'DUE', replays: 1 },
  'print-request replayCallbacks 202': { dryRun: false },
  'fulfilment acceptRecall 200': { state: 'ACCEPTED', documents: [{ state: 'RECALLED' }] },
  'fulfilment rejectRecall 200': { state: 'REJECTED', documents: [{ state: 'TOO_LATE' }] },
  'fulfilment createPosting 201': { state: 'SAVED', evidence: [] },
  'fulfilment confirmPosting 200': { state: 'CONFIRMED', confirmedAt: expect.any(String) },
  'fulfilment closePrintRun 200': { state: 'CLOSED', missing: 0 },
  'administration disableConsumer 200': { disabledAt: expect.any(String) },
  'administration beginRecordSet 201': { state: 'LOADING', rowsRead: 0 },
  'administration publishRecordSet 200': { state: 'CURRENT', publishedAt: expect.any(String) },
  'administration publishRecordSet 202': { state: 'PUBLISHING', publishing: 'under-way' },
  'administration makeRecordSetCurrent 200': { state: 'CURRENT' },
  'administration abandonRecordSet 200': { state: 'ABANDONED', endedAt: expect.any(String) },
  'administration releasePrintRun 200': { state: 'OPEN', releaseAskedAt: expect.any(String) },
  'administration closePrintRunOnBehalf 200': { state: 'CLOSED', closedAt: expect.any(String) },
  'administration settleRecall 200': { state: 'ACCEPTED', answeredAt: expect.any(String) },
  'administration authoriseReprint 200': { state: 'AUTHORISED', decidedBy: expect.any(String) },
  'administration refuseReprint 200': { state: 'REFUSED', decisionReason: expect.any(String) },
  'administration holdPrintJobByKey 200': { status: 'PENDING', heldAt: expect.any(String) },
  'administration releasePrintJobByKey 200': { status: 'PENDING' },
  'administration cancelPrintJob 200': { status: 'PENDING', deletedAt: expect.any(String) },
  'administration redrivePrintJob 200': { status: 'VALIDATING' },
  'administration overrideAddress 200': { addressOverriddenAt: expect.any(String) },
  'administration planBulkAction 201': { state: 'PLANNED', possibleCount: 1 },
  'administration confirmBulkAction 200': { state: 'RUNNING', confirmedAt: expect.any(String) },
  'administration stopBulkAction 200': { state: 'STOPPED', stoppedAt: expect.any(String) },
  'administration replayCallback 202': { status: 'DUE', replays: 1 },
  'administration replayCallbacks 202': { dryRun: false },
  'administration pauseQueue 200': { isPaused: true, pausedAt: expect.any(String) },
  'administration resumeQueue 200': { isPaused: false },
}

test('an operation that changes something has an example of the resulting state', () => {
  const shown = Object.keys(outcomes).map((name) => {
    const [api, id, status] = name.split(' ')
    const { operations } = documents.find(({ path }) => path === `docs/openapi/${api}.json`)!
    const operation = operations.find(({ operationId }) => operationId === id)
    const { examples } = operation.responses[status!].content['application/json']
    return [name, Object.values<Json>(examples)[0].value]
  })

  expect(Object.fromEntries(shown)).toMatchObject(outcomes)
})

function examplesOf({
  parameters = [],
  requestBody,
  responses,
}: Json): { at: string; schema: Json; values: unknown[] }[] {
  const bodies = Object.entries<Json>({ body: requestBody, ...responses })
    .map(([at, part]) => ({ at, media: part?.content?.['application/json'] }))
    .filter(({ media }) => media)
    .map(({ at, media: { schema, examples = {} } }) => {
      const values = Object.values<Json>(examples).map(({ value }) => value)
      return { at, schema, values }
    })
  const required = parameters
    .filter((parameter: Json) => parameter.required)
    .map(({ name, schema, example }: Json) => ({ at: name, schema, values: [example] }))
  return [...bodies, ...required]
}

/** Compiling takes long, and most responses have one of a few schemas. */
function createFaultsOf(): (schema: Json, value: unknown) => string {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validators = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const text = JSON.stringify(schema)
    const validate = validators.get(text) ?? ajv.compile(closed(schema))
    validators.set(text, validate)
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
}

function operationsOf(document: Json): Json[] {
  return Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path))
}

/** Yields every object of a document with its path. */
function* placesOf(value: Json, at = ''): Generator<{ at: string; value: Json }> {
  if (typeof value !== 'object' || value === null) return
  yield { at, value }
  for (const [key, member] of Object.entries(value)) yield* placesOf(member, `${at}/${key}`)
}
