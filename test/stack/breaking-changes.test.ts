import { expect, test } from 'vitest'
import { breakingChanges, documentChanges } from './breaking-changes.ts'
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
/** A document of which the response 200 has these headers. */
const withHeaders = (headers: Json) => ({
  responses: { 200: { ...aDocument().paths['/things'].post.responses[200], headers } },
})
const map = (schema: Json | undefined) => ({ type: 'object', additionalProperties: schema })
const list = (items?: Json) => ({ type: 'array', ...(items && { items }) })
const [text, number] = [{ type: 'string' }, { type: 'integer' }]
const tag = (...values: string[]) => ({ type: 'string', enum: values })
const page = (schema: Json) => ({ parameters: [{ name: 'page', in: 'query', schema }] })
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
  [
    'a response no longer has an enum value',
    { answer: tag('old', 'young') },
    { answer: tag('old') },
  ],
  ['a list of a request takes anything', { body: list(text) }, { body: list() }],
  ['a list of a response is described', { answer: list() }, { answer: list(text) }],
  ['a map of a response is described', { answer: map(undefined) }, { answer: map(text) }],
  ['a closed request is open', { body: { ...person, additionalProperties: false } }, {}],
  ['a default is documented', page(number), page({ ...number, default: 1 })],
  ['a response has a new header', {}, withHeaders({ Total: { schema: number } })],
  ['a shape is named', { body: person }, { body: { $ref: '#/components/schemas/Person' } }],
])('allows: %s', (_, before, after) => {
  expect(breakingChanges(aDocument(before), aDocument(after))).toEqual([])
})

test.each<[string, Json, Json]>([
  [`${at}: operationId changed: add → create`, {}, { operationId: 'create' }],
  [`${at}: needs other credentials: none → [{"jwt":[]}]`, {}, { security: [{ jwt: [] }] }],
  [`${at} 200: removed`, {}, { responses: {} }],
  [`${at}.age: removed`, {}, { body: withoutAge }],
  [`${at}.age: required`, {}, { body: { ...person, required: ['name', 'age'] } }],
  [`${at}.age: type changed: integer → string`, {}, { body: withMember('age', text) }],
  [
    `${at}.name: narrower: maxLength: 10 → 9`,
    {},
    { body: withMember('name', { ...text, maxLength: 9 }) },
  ],
  [
    `${at}.name: narrower: pattern: none → a`,
    {},
    { body: withMember('name', { ...text, maxLength: 10, pattern: 'a' }) },
  ],
  [
    `${at}.age: 2 refused`,
    { body: withMember('age', { type: 'integer', enum: [1, 2] }) },
    { body: withMember('age', { type: 'integer', enum: [1] }) },
  ],
  [
    `${at}: alternatives changed: {"anyOf":[{"type":"string"},{"type":"null"}]} → {"type":"string"}`,
    { body: { anyOf: [text, { type: 'null' }] } },
    { body: text },
  ],
  [
    `${at} ?page: new and required`,
    {},
    { parameters: [{ name: 'page', in: 'query', required: true, schema: {} }] },
  ],
  [`${at} ?page: removed`, { parameters: [{ name: 'page', in: 'query', schema: {} }] }, {}],
  [`${at} 200.age: removed`, {}, { answer: withoutAge }],
  [`${at} 200.name: may be absent`, {}, { answer: { ...person, required: [] } }],
  [
    `${at} 200.age: type changed: integer → number`,
    {},
    { answer: withMember('age', { type: 'number' }) },
  ],
  [
    `${at} 200.age: type changed: integer → ["integer","null"]`,
    {},
    { answer: withMember('age', { type: ['integer', 'null'] }) },
  ],
  [
    `${at} 200: replaced: ["old","young"] → ["old","new"]`,
    { answer: tag('old', 'young') },
    { answer: tag('old', 'new') },
  ],
  [`${at} 200: replaced: ["a"] → ["b"]`, { answer: tag('a') }, { answer: tag('b') }],
  [`${at} 200{}: removed`, { answer: map(text) }, { answer: map(undefined) }],
  [`${at} 200{}: type changed: string → integer`, { answer: map(text) }, { answer: map(number) }],
  [`${at}{}: narrower: none → {"type":"string"}`, { body: map(undefined) }, { body: map(text) }],
  [
    `${at}: narrower: additionalProperties: none → false`,
    {},
    { body: { ...person, additionalProperties: false } },
  ],
  [`${at} 200[]: removed`, { answer: list(text) }, { answer: list() }],
  [`${at}[]: narrower: none → {"type":"string"}`, { body: list() }, { body: list(text) }],
  [
    `${at} ?page: default changed: 1 → 2`,
    page({ ...number, default: 1 }),
    page({ ...number, default: 2 }),
  ],
  [`${at} ?page: default changed: 1 → none`, page({ ...number, default: 1 }), page(number)],
  [`${at} 200 header Total: removed`, withHeaders({ Total: { schema: number } }), {}],
  [
    `${at} 200 header Total: type changed: integer → string`,
    withHeaders({ Total: { schema: number } }),
    withHeaders({ Total: { schema: text } }),
  ],
  ['webhook added.age: removed', {}, { answer: withoutAge }],
])('reports: %s', (change, before, after) => {
  expect(breakingChanges(aDocument(before), aDocument(after))).toContain(change)
})

test('reports operations, webhooks and named schemas that were removed', () => {
  const empty = { components: { schemas: {} }, paths: {} }

  expect(breakingChanges(aDocument(), empty)).toEqual([
    'schema Person: removed',
    `${at}: removed`,
    'webhook added: removed',
  ])
})

test('reports webhook headers that were removed or are now optional', () => {
  const [id, time] = ['id', 'time'].map((name) => ({ name, in: 'header', required: true }))
  const sent = (...parameters: Json[]) => {
    const document = aDocument()
    document.webhooks.added.post.parameters = parameters.map((each) => ({ schema: text, ...each }))
    return document
  }

  expect(breakingChanges(sent(id!, time!), sent({ ...id, required: false }))).toEqual([
    'webhook added header id: may be absent',
    'webhook added header time: removed',
  ])
})

test('reports security schemes that were removed or changed', () => {
  const secured = (securitySchemes: Json) => ({ ...aDocument(), components: { securitySchemes } })
  const [key, jwt] = [
    { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    { type: 'http', scheme: 'bearer', description: 'A token' },
  ]

  expect(
    breakingChanges(secured({ key, jwt }), secured({ jwt: { ...jwt, description: 'A JWT' } })),
  ).toEqual(['security scheme key: removed'])
  expect(breakingChanges(secured({ key }), secured({ key: { ...key, name: 'Key' } }))).toEqual([
    'security scheme key: changed: {"type":"apiKey","in":"header","name":"X-API-Key"} → ' +
      '{"type":"apiKey","in":"header","name":"Key"}',
  ])
})

test('reports each change at its own place, so that an accepted change hides no other', () => {
  const before = { ...page({ ...number, maximum: 9 }), body: withMember('age', number) }
  const [parameter] = page({ ...text, maximum: 8 }).parameters
  const after = { parameters: [{ ...parameter, required: true }] }

  expect(breakingChanges(aDocument(before), aDocument(after)).sort()).toEqual([
    `${at} ?page: narrower: maximum: 9 → 8`,
    `${at} ?page: required`,
    `${at} ?page: type changed: integer → string`,
  ])
})

test('reports documents that were removed, and no new ones', () => {
  const [document, changed] = [aDocument(), aDocument({ operationId: 'create' })]

  expect(
    documentChanges(
      { same: document, gone: document, changed: document },
      { same: document, new: document, changed },
    ),
  ).toEqual({
    gone: ['document removed'],
    changed: [`${at}: operationId changed: add → create`],
  })
})
