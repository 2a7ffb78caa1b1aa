import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
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
  /** Headers of every response besides X-Correlation-ID, by name. */
  responseHeaders?: Readonly<Record<string, Header>>
}

type Webhook = {
  tags: readonly string[]
  summary: string
  description: string
  parameters: readonly HeaderParameter[]
  body: ZodType
  /** Bodies by the names of the examples. */
  examples: Readonly<Record<string, unknown>>
  responses: Readonly<Record<string, { description: string }>>
}

type Header = { description: string; schema: Readonly<Record<string, unknown>> }

/** Descriptions of response headers by status and name. */
export type SentHeaders = Readonly<Record<number, Readonly<Record<string, string>>>>

/** `countsUnknownMembers`: a response header counts the unknown members of a request body. */
type CollectOptions = OpenApiOptions & { countsUnknownMembers: boolean; errors: ErrorRenderer }

type HeaderParameter = Header & { name: string; in: 'header'; required: boolean }

type SecurityScheme =
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

/** Those of rate limits are fields of draft-ietf-httpapi-ratelimit-headers-11. */
const headers = {
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
  CorrelationId: {
    description: 'The X-Correlation-ID of the request, or the one that the service created',
    schema: { type: 'string' },
  },
  UnknownMembers: {
    description:
      'Number of members of the request body that the API does not know. Absent if there are none, and if the request ' +
      'was refused before its body was read',
    schema: { type: 'integer', minimum: 1 },
  },
} as const
const { UnknownMembers: _, ...sharedHeaders } = headers

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
        headers: countsUnknownMembers ? headers : sharedHeaders,
        ...(securitySchemes && { securitySchemes: { ...securitySchemes } }),
      },
    },
    transform: ({ schema, url, route: { config = {} } }) => {
      const { body, description = '' } = (schema ?? {}) as { body?: ZodType; description?: string }
      const required = config.roles && `Requires the ${config.roles.join(' or ')} role.`
      const described = {
        ...describeRoute(schema),
        ...(required && { description: `${description} ${required}`.trimStart() }),
        ...(config.open && { security: [] }),
        // The server validates an absent body as null.
        'x-route': { config, mayLackBody: body?.safeParse(null).success },
      }
      return { schema: described, url }
    },
    transformObject: (collected) => {
      if (!('openapiObject' in collected)) return collected.swaggerObject
      const document = collected.openapiObject
      const shared = ['correlationId', ...Object.keys(parameters)].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      }))
      for (const path of Object.values(document.paths ?? {})) {
        for (const [method, operation] of Object.entries(path ?? {}) as [string, Operation][]) {
          const { config = {}, mayLackBody = false } = operation['x-route'] ?? {}
          delete operation['x-route']
          addRefusals(operation, method, config)
          addHeaders(operation, config, options)
          if (operation.requestBody) operation.requestBody.required = !mayLackBody
          operation.parameters = [...(operation.parameters ?? []), ...shared]
        }
      }
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

type Operation = {
  /** Until the operation is complete. */
  'x-route'?: { config: FastifyContextConfig; mayLackBody?: boolean }
  requestBody?: { required?: boolean }
  parameters?: { in?: string; $ref?: string }[]
  responses: Record<string, { description: string; headers?: object; content?: object }>
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

/** Adds the errors that can occur before the handler runs, in the API's own error shape. */
function addRefusals(
  { responses, parameters = [] }: Operation,
  method: string,
  { open }: FastifyContextConfig,
): void {
  const { content } = responses['503'] ?? responses['500'] ?? {}
  const isInPath = parameters.some((parameter) => parameter.in === 'path')
  // The server does not read the body of a GET.
  const mayHaveBody = method !== 'get'
  const refusals = {
    ...((mayHaveBody || parameters.length > 0) && { 400: 'The request cannot be read' }),
    ...(isInPath && { 404: 'The address does not exist' }),
    405: 'The address does not accept the method',
    ...(mayHaveBody && {
      413: 'The body is too large',
      415: 'The operation does not take the Content-Type of the body',
    }),
    ...(open && content && { 429: 'Too many requests from one address' }),
    503: 'The service cannot take the request at present',
  }
  for (const [status, description] of Object.entries(refusals)) {
    responses[status] ??= { description, ...(content && { content }) }
  }
}

/** Answers that never follow the reading of a body. */
const beforeBody: ReadonlySet<string> = new Set(['405', '413', '415'])

/** Adds the headers that each response has. */
function addHeaders(
  { requestBody, responses }: Operation,
  { locks, sends = {} }: FastifyContextConfig,
  { countsUnknownMembers, responseHeaders }: CollectOptions,
): void {
  for (const [status, response] of Object.entries(responses)) {
    const own = Object.entries(sends[Number(status)] ?? {}).map(([name, description]) => [
      name,
      { schema: { type: 'string' }, description },
    ])
    const isLimited = status === '429' || (responses['429'] && status.startsWith('2'))
    const counts = countsUnknownMembers && requestBody && !beforeBody.has(status)
    response.headers = {
      ...Object.fromEntries(own),
      ...(locks && status === '401' && { 'Retry-After': lockSeconds }),
      'X-Correlation-ID': header('CorrelationId'),
      ...responseHeaders,
      ...(isLimited && {
        'RateLimit-Policy': header('RateLimitPolicy'),
        RateLimit: header('RateLimit'),
      }),
      ...((status === '429' || status === '503') && { 'Retry-After': header('RetryAfter') }),
      ...(status === '405' && { Allow: header('Allow') }),
      ...(counts && { [unknownMembersHeader]: header('UnknownMembers') }),
    }
  }
}

const lockSeconds = {
  description:
    'Seconds until the lock ends. Present after too many wrong attempts, even with the right credentials',
  schema: { type: 'integer', minimum: 1 },
}

function header(name: keyof typeof headers): object {
  return { $ref: `#/components/headers/${name}` }
}
