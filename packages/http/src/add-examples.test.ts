import type { Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { addExamples } from './add-examples.ts'

const errors = {
  renderProblem: ({ kind, message, faults: [fault] }: Problem) =>
    kind === 'unavailable' ? undefined : { status: 400, body: { kind, message, ...fault } },
  renderFault: (errorId: string) => ({ status: 500, body: { errorId } }),
}

const thing = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: 'integer', minimum: 3 },
    at: { type: 'string', format: 'date-time' },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
    note: { type: 'string' },
  },
  required: ['name', 'size'],
}
const part = { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] }

/** Returns the document of one operation with examples, and the example of a request or a response. */
function anOperation(options: Parameters<typeof addExamples>[1], responses: object = {}) {
  const json = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const errorsOf = Object.entries(responses).map(([status, description]) => [
    status,
    { description, ...json('Error') },
  ])
  const operation = {
    operationId: 'addThing',
    tags: ['things'],
    parameters: [{ name: 'key', required: true, schema: { type: 'string' } }],
    requestBody: json('Thing'),
    responses: {
      200: { description: 'Added', ...json('ThingResponse') },
      ...Object.fromEntries(errorsOf),
    },
  }
  // biome-ignore lint/suspicious/noExplicitAny: what it becomes is judged by the test
  const document: any = {
    paths: { '/things': { post: operation } },
    components: { schemas: { Thing: thing, ThingResponse: thing, Part: part, Error: {} } },
  }
  addExamples(document, options, errors)
  const { examples } = document.components
  return { operation: document.paths['/things'].post, examples }
}

test('a request example has the required members, and members with a value for its schema', () => {
  const values = {
    members: { name: 'Nut', note: 'Any' },
    shapes: { Thing: { at: '2026-01-01T00:00:00Z' } },
  }

  expect(anOperation({ values }).examples.Thing.value).toEqual({
    name: 'Nut',
    size: 3,
    at: '2026-01-01T00:00:00Z',
  })
})

test('a response example also has optional members with a value, and lists', () => {
  const values = {
    members: { name: 'Nut', note: 'Any' },
    shapes: { ThingResponse: { name: 'Bolt' } },
  }

  expect(anOperation({ values }).examples.ThingResponse.value).toEqual({
    name: 'Bolt',
    size: 3,
    parts: [{ kind: 'a' }],
    note: 'Any',
  })
})

test('leaves out a member whose value is undefined', () => {
  const { examples } = anOperation({ values: { shapes: { ThingResponse: { parts: undefined } } } })

  expect(examples.ThingResponse.value).toEqual({ name: 'name', size: 3 })
})

test('the values of an operation and a status replace members of the example of the schema', () => {
  const values = {
    members: { name: 'Nut' },
    operations: { 'addThing.200': { name: 'Bolt', parts: undefined } },
  }

  const { operation, examples } = anOperation({ values })

  expect(examples.ThingResponseAddThing200.value).toEqual({ name: 'Bolt', size: 3 })
  expect(operation.responses[200].content['application/json'].examples).toEqual({
    ThingResponseAddThing200: { $ref: '#/components/examples/ThingResponseAddThing200' },
  })
})

test('a required parameter has an example', () => {
  expect(anOperation({ values: { members: { key: 'k1' } } }).operation.parameters[0].example).toBe(
    'k1',
  )
})

test('an error example renders as the API does, for the operation or the status', () => {
  const statuses = { 400: 'Bad', 404: 'Absent (code 5)', 409: 'Taken', 500: 'Fault', 503: 'Away' }
  const problems = { 404: { things: 'thing-not-found' }, 409: { addThing: 'thing-taken' } }

  const { operation, examples } = anOperation({ problems }, statuses)

  expect(examples.InvalidField.value).toMatchObject({ field: 'name', code: 'NotNull' })
  expect(examples.ThingNotFound.value).toEqual({ kind: 'thing-not-found', message: 'Absent' })
  expect(examples.ThingTaken.value).toEqual({ kind: 'thing-taken', message: 'Taken' })
  expect(examples.InternalError.value).toHaveProperty('errorId')
  expect(operation.responses[404].content['application/json'].examples).toEqual({
    ThingNotFound: { $ref: '#/components/examples/ThingNotFound' },
  })
  expect(operation.responses[503].content['application/json']).not.toHaveProperty('examples')
})
