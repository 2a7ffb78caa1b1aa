import { isDeepStrictEqual } from 'node:util'
import { type FieldFault, Problem } from '@despatch/domain/problem'
import type { ErrorRenderer } from './error-handler.ts'
import { type ExampleValues, exampleOf } from './example-of.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked keyword by keyword
type Json = any

export type ExampleOptions = {
  values?: ExampleValues
  /** Kinds of the problems of operations, by status, then by operationId or tag. */
  problems?: Readonly<Record<number, Readonly<Record<string, string>>>>
}

const kinds: Readonly<Record<string, string>> = {
  400: 'invalid-field',
  401: 'not-authenticated',
  403: 'not-permitted',
  404: 'route-not-found',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'unsupported-media-type',
  429: 'too-many-requests',
  503: 'unavailable',
}
const exampleErrorId = '2f0c8f0a-7d0c-4c3e-9a5b-1c5a5e0f3b77'

/**
 * Adds an example to each required parameter, and to each body and response with a named schema. An error is rendered as
 * the API renders it, with the description of its response as detail. `components.examples` has each example once.
 */
export function addExamples(
  document: Json,
  { values = {}, problems = {} }: ExampleOptions,
  errors: Pick<ErrorRenderer, 'renderProblem' | 'renderFault'>,
): void {
  const { schemas } = document.components
  const { members = {}, shapes = {}, operations = {} } = values
  const named = new Map<string, unknown>()
  const refer = (media: Json, name: string, value: unknown) => {
    named.set(name, value)
    media.examples = { [name]: { $ref: `#/components/examples/${name}` } }
  }

  function addToRequest({ operationId, parameters = [], requestBody }: Json): void {
    for (const parameter of parameters.filter(({ required }: Json) => required)) {
      const { schema, name } = parameter
      const own = operations[`${operationId}.${name}`] ?? members[name]
      parameter.example = own ?? exampleOf(schema, values, { schemas, isRequest: true })
    }
    for (const media of Object.values<Json>(requestBody?.content ?? {})) {
      const { schema } = media
      const own = operations[`${operationId}.body`]
      if (own) media.example = own
      else if (schema.$ref) {
        refer(media, nameOf(schema), exampleOf(schema, values, { schemas, isRequest: true }))
      }
    }
  }

  function addToResponse(operation: Json, status: string, { description, content }: Json): void {
    const media = content?.['application/json']
    if (!media?.schema.$ref) return
    if (Number(status) < 400) {
      const shape = nameOf(media.schema)
      const own = operations[`${operation.operationId}.${status}`] as object | undefined
      const its = { ...values, shapes: { ...shapes, [shape]: { ...shapes[shape], ...own } } }
      const name = own ? `${shape}${inPascalCase(operation.operationId)}${status}` : shape
      refer(media, name, exampleOf(media.schema, its, { schemas, isRequest: false }))
      return
    }
    const { kind, body } = renderError(operation, status, description)
    if (body === undefined) return
    const common = inPascalCase(kind)
    const isOther = !isDeepStrictEqual(named.get(common) ?? body, body)
    refer(media, isOther ? common + inPascalCase(operation.operationId) : common, body)
  }

  function renderError(operation: Json, status: string, description: string) {
    if (status === '500') {
      return { kind: 'internal-error', body: errors.renderFault(exampleErrorId).body }
    }
    const kind = kindOf(operation, status)
    const detail = description.replace(/ \(code \w+\)$/, '')
    const faults = kind === 'invalid-field' ? [faultOf(schemas, operation)] : []
    return { kind, body: errors.renderProblem(new Problem(kind, detail, faults))?.body }
  }

  function kindOf({ operationId, tags = [] }: Json, status: string): string {
    const own = [operationId, ...tags].map((key) => problems[Number(status)]?.[key])
    return own.find((kind) => kind !== undefined) ?? kinds[status] ?? 'unavailable'
  }

  for (const operation of Object.values<Json>(document.paths).flatMap(Object.values<Json>)) {
    addToRequest(operation)
    for (const [status, response] of Object.entries(operation.responses)) {
      addToResponse(operation, status, response)
    }
  }
  document.components.examples = Object.fromEntries(
    [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, { value }]),
  )
}

/** Returns a violation of the first required member of the body, or of the first parameter. */
function faultOf(schemas: Json, { parameters = [], requestBody }: Json): FieldFault {
  const schema = requestBody?.content['application/json']?.schema
  const [member] = (schema?.$ref && schemas[nameOf(schema)].required) ?? []
  if (member) return { field: member, code: 'NotNull', detail: `${member} must not be null` }
  const field = parameters.find(({ name }: Json) => name)?.name ?? 'body'
  return { field, code: 'Invalid', detail: `${field} is invalid` }
}

function nameOf({ $ref }: { $ref: string }): string {
  return $ref.split('/').at(-1)!
}

function inPascalCase(text: string): string {
  return text.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
