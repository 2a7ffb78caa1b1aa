import { expect, test } from 'vitest'
import { breakingChanges } from './breaking-changes.ts'
import type { Json } from './dereference.ts'

const at = 'post /things'
const person = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 10 }, age: { type: 'integer' } },
  required: ['name'],
}

function aDocument({ body = person, answer = person, ...operation }: Json = {}): Json {
  const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
  const responses = { 200: json(answer), 404: { description: 'Absent' } }
  return {
    components: { schemas: { Person: person } },
    paths: {
      '/things': { post: { operationId: 'add', requestBody: json(body), responses, ...operation } },
    },
    webhooks: { added: { post: { requestBody: json(answer) } } },
  }
}

const withMember = (name: string, schema: Json, required: string[] = ['name']) => ({
  ...person,
  properties: { ...person.properties, [name]: schema },
  required,
})
const withoutAge = { ...person, properties: { name: person.properties.name } }

test.each<[string, Json, Json]>([
  ['nothing', {}, {}],
  ['an optional member of a request is new', {}, { body: withMember('note', { type: 'string' }) }],
  ['a member of a response is new', {}, { answer: withMember('note', { type: 'string' }) }],
  ['a request may be longer', {}, { body: withMember('name', { type: 'string', maxLength: 11 }) }],
  ['a request may be null', {}, { body: withMember('age', { type: ['integer', 'null'] }) }],
  [
    'a response has a new enum value',
    { answer: withMember('age', { type: 'string', enum: ['old'] }) },
    { answer: withMember('age', { type: 'string', enum: ['old', 'young'] }) },
  ],
  ['a parameter is new', {}, { parameters: [{ name: 'page', in: 'query', schema: {} }] }],
  [
    'an error is gone',
    {},
    { responses: { 200: aDocument().paths['/things'].post.responses[200] } },
  ],
  ['a shape is named', { body: person }, { body: { $ref: '#/components/schemas/Person' } }],
])('allows: %s', (_, before, after) => {
  expect(breakingChanges(aDocument(before), aDocument(after))).toEqual([])
})

test.each<[string, Json, Json]>([
  [`${at}: operationId changed`, {}, { operationId: 'create' }],
  [`${at}: needs other credentials`, {}, { security: [{ jwt: [] }] }],
  [`${at} 200: removed`, {}, { responses: {} }],
  [`${at}.age: removed`, {}, { body: withoutAge }],
  [`${at}.age: required`, {}, { body: { ...person, required: ['name', 'age'] } }],
  [`${at}.age: type changed`, {}, { body: withMember('age', { type: 'string' }) }],
  [`${at}.name: narrower`, {}, { body: withMember('name', { type: 'string', maxLength: 9 }) }],
  [
    `${at}.name: narrower`,
    {},
    { body: withMember('name', { type: 'string', maxLength: 10, pattern: 'a' }) },
  ],
  [
    `${at}.age: 2 refused`,
    { body: withMember('age', { type: 'integer', enum: [1, 2] }) },
    { body: withMember('age', { type: 'integer', enum: [1] }) },
  ],
  [
    `${at}: alternatives changed`,
    { body: { anyOf: [person, { type: 'null' }] } },
    { body: person },
  ],
  [
    `${at} ?page: new and required`,
    {},
    { parameters: [{ name: 'page', in: 'query', required: true, schema: {} }] },
  ],
  [`${at} ?page: removed`, { parameters: [{ name: 'page', in: 'query', schema: {} }] }, {}],
  [`${at} 200.age: removed`, {}, { answer: withoutAge }],
  [`${at} 200.name: may be absent`, {}, { answer: { ...person, required: [] } }],
  [`${at} 200.age: type changed`, {}, { answer: withMember('age', { type: 'number' }) }],
  [`${at} 200.age: type changed`, {}, { answer: withMember('age', { type: ['integer', 'null'] }) }],
  ['webhook added.age: removed', {}, { answer: withoutAge }],
])('reports: %s', (change, before, after) => {
  expect(breakingChanges(aDocument(before), aDocument(after))).toContain(change)
})

test('reports operations, webhooks and named schemas that are gone', () => {
  const empty = { components: { schemas: {} }, paths: {} }

  expect(breakingChanges(aDocument(), empty)).toEqual([
    'schema Person: removed',
    `${at}: removed`,
    'webhook added: removed',
  ])
})
