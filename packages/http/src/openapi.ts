import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { ZodType } from 'zod'
import { addExamples, type ExampleOptions } from './add-examples.ts'
import { createSchemaDescriber } from './describe-schemas.ts'
import type { ErrorRenderer } from './error-handler.ts'
import { unknownMembersHeader } from './read-members.ts'

export type OpenApiOptions = {
  title: string
  description: string
  version: string
  /** Descriptions of the tags of its operations by name. */
  tags?: Readonly<Record<string, string>>
  /** Schemas by the names of their shapes. The document contains each that occurs in it as a named schema. */
  shapes?: Readonly<Record<string, ZodType>>
  /** Requests that the service sends to its callers, by name. */
  webhooks?: Readonly<Record<string, Webhook>>
  examples?: ExampleOptions
  /** Authentication schemes by name. An operation lists the schemes that it requires in `schema.security`. */
  securitySchemes?: Readonly<Record<string, SecurityScheme>>
  /** Headers that every operation takes besides X-Correlation-ID, as parameters by name. */
  parameters?: Readonly<Record<string, HeaderParameter>>
  /** Headers of responses besides X-Correlation-ID, by name: of every response, or only of those with 2xx. */
  responseHeaders?: Readonly<Record<string, ResponseHeader & { only2xx?: true }>>
}

export type Webhook = {
  tags: readonly string[]
  summary: string
  description: string
  parameters: readonly HeaderParameter[]
  body: ZodType
  /** Bodies by the names of the examples. */
  examples: Readonly<Record<string, unknown>>
  responses: Readonly<Record<string, { description: string }>>
}

export type ResponseHeader = { description: string; schema: Readonly<Record<string, unknown>> }

/** Descriptions of response headers by status and name. */
export type SentHeaders = Readonly<Record<number, Readonly<Record<string, string>>>>

/** `countsUnknownMembers`: a response header counts the unknown members of a request body. */
type CollectOptions = OpenApiOptions & { countsUnknownMembers: boolean; errors: ErrorRenderer }

export type HeaderParameter = {
  name: string
  in: 'header'
  required: boolean
  description: string
  schema: Readonly<Record<string, unknown>>
}

export type SecurityScheme =
  | { type: 'http'; scheme: 'bearer'; bearerFormat: string; description?: string }
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string; description?: string }

/** Every operation takes this header, so the schemas of single operations omit it. */
const correlationId = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description:
    'Links log messages to a request and is returned in the response. If it is absent, too long or not printable ' +
    'ASCII, the service creates one.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const

/** Every response has this header. */
const correlationIdReturned = {
  description: 'The X-Correlation-ID of the request, or the one that the service created',
  schema: { type: 'string' },
} as const

/** The first two are fields of draft-ietf-httpapi-ratelimit-headers-11, on every response to a caller with a limit. */
const refusalHeaders = {
  RateLimitPolicy: {
    description:
      'Number of requests allowed in each window, with the length of the window in seconds',
    schema: { type: 'string' },
    example: '"second";q=100;w=1, "burst";q=200;w=60',
  },
  RateLimit: {
    description: 'Number of requests left, and the seconds until the window ends',
    schema: { type: 'string' },
    example: '"second";r=57;t=1',
  },
  Allow: {
    description: 'Methods that the address accepts, separated by commas',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next request',
    schema: { type: 'integer', minimum: 1 },
  },
} as const

const unknownMembers = {
  description:
    'Number of members of the request body that the API does not know. Absent if there are none, and if the request was refused before its body was read',
  schema: { type: 'integer', minimum: 1 },
} as const

/**
 * Collects the routes registered after this call into an OpenAPI 3.1 document, built from the schemas that validate
 * requests.
 */
export async function collectOpenApi(api: FastifyInstance, options: CollectOptions): Promise<void> {
  const {
    countsUnknownMembers,
    errors,
    examples = {},
    title,
    description,
    version,
    securitySchemes,
    parameters = {},
    responseHeaders = {},
    shapes = {},
    tags = {},
    webhooks = {},
  } = options
  const { describe, describeRoute, addShapes } = createSchemaDescriber(shapes)
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version },
      servers: [{ url: '/', description: 'The server that serves this document' }],
      tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      components: {
        parameters: { correlationId, ...parameters },
        headers: {
          ...refusalHeaders,
          CorrelationId: correlationIdReturned,
          ...(countsUnknownMembers && { UnknownMembers: unknownMembers }),
        },
        ...(securitySchemes && { securitySchemes: { ...securitySchemes } }),
      },
    },
    transform: (route) => {
      const { roles, locks = false, open = false, sends = {} } = route.route.config ?? {}
      const { body } = (route.schema ?? {}) as { body?: ZodType }
      const schema = {
        ...describeRoute(route.schema),
        // The server validates an absent body as null.
        ...(body?.safeParse(null).success && { 'x-optional-body': true }),
      }
      const transformed = withSent(sends, { schema, url: route.url })
      const collected = open ? withoutCredentials(withSourceLimit(transformed)) : transformed
      return withRoles(roles, locks ? withLocks(collected) : collected)
    },
    transformObject: (collected) => {
      if (!('openapiObject' in collected)) return collected.swaggerObject
      const shared = ['correlationId', ...Object.keys(parameters)]
      const document = withSharedParts(collected.openapiObject, shared, responseHeaders)
      markOptionalBodies(document)
      if (countsUnknownMembers) withUnknownMembers(document)
      const sent = Object.entries(webhooks).map(([name, webhook]) => [
        name,
        { post: describeWebhook(name, webhook, describe(webhook.body, 'input')) },
      ])
      if (sent.length > 0) Object.assign(document, { webhooks: Object.fromEntries(sent) })
      const named = addShapes(document)
      addExamples(named, examples, errors)
      return named
    },
  })
}

function describeWebhook(
  name: string,
  { body: _, examples, ...operation }: Webhook,
  schema: object,
): Record<string, unknown> {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  const media = { schema, examples: Object.fromEntries(named) }
  const requestBody = { required: true, content: { 'application/json': media } }
  return { operationId: name, ...operation, requestBody }
}

/** Adds the roles to the description of an operation that only some callers may use. */
function withRoles<Collected extends { schema: object }>(
  roles: readonly string[] | undefined,
  collected: Collected,
): Collected {
  if (!roles) return collected
  const { description = '' } = collected.schema as { description?: string }
  const required = `Requires the ${roles.join(' or ')} role.`
  return {
    ...collected,
    schema: { ...collected.schema, description: `${description} ${required}`.trimStart() },
  }
}

/** Says that an operation requires no authentication. */
function withoutCredentials<Collected extends { schema: object }>(collected: Collected): Collected {
  return { ...collected, schema: { ...collected.schema, security: [] } }
}

/** Adds the 429 of an operation that has a limit for each source address. */
function withSourceLimit<Collected extends { schema: object }>(collected: Collected): Collected {
  const { response } = (collected.schema ?? {}) as { response?: Record<string, object> }
  // A route without responses is not described.
  if (!response) return collected
  const refused = {
    ...response['500'],
    'x-response-description': 'Too many requests from one address',
  }
  return {
    ...collected,
    schema: { ...collected.schema, response: { 429: refused, ...response } },
  }
}

/** Adds the headers that only this operation sends. */
function withSent<Collected extends { schema: object }>(
  sends: SentHeaders,
  collected: Collected,
): Collected {
  const { response = {} } = (collected.schema ?? {}) as { response?: Record<string, object> }
  const added = Object.entries(sends).map(([status, names]) => {
    const described = Object.entries(names).map(([name, description]) => [
      name,
      { type: 'string', description },
    ])
    return [status, { ...response[status], headers: Object.fromEntries(described) }]
  })
  if (added.length === 0) return collected
  const all = { ...response, ...Object.fromEntries(added) }
  return { ...collected, schema: { ...collected.schema, response: all } }
}

/** Adds Retry-After to the 401 of an operation that too many wrong attempts lock. */
function withLocks<Collected extends { schema: object }>(collected: Collected): Collected {
  const { response = {} } = collected.schema as { response?: Record<string, object> }
  const headers = { 'Retry-After': lockSeconds }
  const refused = { ...response['401'], headers }
  return {
    ...collected,
    schema: { ...collected.schema, response: { ...response, 401: refused } },
  }
}

const lockSeconds = {
  type: 'integer',
  minimum: 1,
  description:
    'Seconds until the lock ends. Present after too many wrong attempts, even with the right credentials',
}

type Content = Record<string, object>
type Answer = { description?: string; headers?: object; content?: Content }
type Operation = {
  'x-optional-body'?: true
  requestBody?: { required?: boolean; content?: Content }
  parameters?: { in?: string; $ref?: string }[]
  responses?: Record<string, Answer>
}
type OpenApiDocument = { paths?: Record<string, object | undefined> | undefined }

/**
 * Adds what all operations share: the errors that occur before a handler runs, the request headers, the rate limit
 * headers where 429 is a response, Retry-After for 503, Allow for 405, and the headers of every response.
 */
function withSharedParts<Document extends OpenApiDocument>(
  document: Document,
  parameters: readonly string[],
  responseHeaders: NonNullable<OpenApiOptions['responseHeaders']>,
): Document {
  for (const path of Object.values(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(path ?? {}) as [string, Operation][]) {
      operation.parameters ??= []
      if (operation.responses)
        addAnswersBeforeHandlers(operation.responses, method, operation.parameters)
      operation.parameters.push(
        ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      )
      if (operation.responses) {
        addSharedHeaders(operation.responses, responseHeaders)
      }
    }
  }
  return document
}

/** Adds the errors that can occur before the handler runs, in the API's own error shape. */
function addAnswersBeforeHandlers(
  responses: NonNullable<Operation['responses']>,
  method: string,
  parameters: NonNullable<Operation['parameters']>,
): void {
  const { content } = responses['503'] ?? responses['500'] ?? {}
  const add = (status: string, description: string) => {
    responses[status] ??= { description, ...(content && { content }) }
  }
  const isInPath = parameters.some((parameter) => parameter.in === 'path')
  // The server does not read the body of a GET.
  const mayHaveBody = method !== 'get'
  if (mayHaveBody || isInPath || parameters.length > 0) add('400', 'The request cannot be read')
  if (isInPath) add('404', 'The address does not exist')
  add('405', 'The address does not accept the method')
  if (mayHaveBody) {
    add('413', 'The body is too large')
    add('415', 'The operation does not take the Content-Type of the body')
  }
  add('503', 'The service cannot take the request at present')
}

function addSharedHeaders(
  responses: NonNullable<Operation['responses']>,
  responseHeaders: NonNullable<OpenApiOptions['responseHeaders']>,
): void {
  const limits = { 'RateLimit-Policy': header('RateLimitPolicy'), RateLimit: header('RateLimit') }
  const retryAfter = { 'Retry-After': header('RetryAfter') }
  const isLimited = responses['429'] !== undefined
  for (const [status, response] of Object.entries(responses)) {
    const is2xx = status.startsWith('2')
    const own = Object.entries(responseHeaders)
      .filter(([, { only2xx = false }]) => is2xx || !only2xx)
      .map(([name, { description, schema }]) => [name, { description, schema }])
    response.headers = {
      ...response.headers,
      'X-Correlation-ID': header('CorrelationId'),
      ...Object.fromEntries(own),
      ...((status === '429' || (isLimited && is2xx)) && limits),
      ...((status === '429' || status === '503') && retryAfter),
      ...(status === '405' && { Allow: header('Allow') }),
    }
  }
}

/** Answers that never follow the reading of a body. */
const beforeBody: ReadonlySet<string> = new Set(['405', '413', '415'])

/** Says that a body may be absent. */
function markOptionalBodies(document: OpenApiDocument): void {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path ?? {}) as Operation[]) {
      if (operation.requestBody) operation.requestBody.required = !operation['x-optional-body']
      delete operation['x-optional-body']
    }
  }
}

/** Adds the header that counts unknown members to what an operation with a body can answer once it has read it. */
function withUnknownMembers<Document extends OpenApiDocument>(document: Document): Document {
  for (const path of Object.values(document.paths ?? {})) {
    for (const { requestBody, responses = {} } of Object.values(path ?? {}) as Operation[]) {
      if (!requestBody) continue
      for (const [status, response] of Object.entries(responses)) {
        if (beforeBody.has(status)) continue
        response.headers = { ...response.headers, [unknownMembersHeader]: header('UnknownMembers') }
      }
    }
  }
  return document
}

function header(name: keyof typeof refusalHeaders | 'UnknownMembers' | 'CorrelationId'): object {
  return { $ref: `#/components/headers/${name}` }
}
