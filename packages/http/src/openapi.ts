import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'

export type OpenApiOptions = {
  title: string
  description: string
  version: string
  /** Ways to authenticate, by name; an operation lists those it wants under `schema.security`. */
  securitySchemes?: Readonly<Record<string, SecurityScheme>>
}

export type SecurityScheme =
  | { type: 'http'; scheme: 'bearer'; bearerFormat: string; description?: string }
  | { type: 'apiKey'; in: 'header'; name: string; description?: string }

/** Every operation takes it, so no schema of a single one names it. */
const correlationId = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description:
    'Links log messages to a request, and is repeated in the answer. Absent, too long or not printable ASCII: one is made.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const

/** Collects the routes added from now on into an OpenAPI 3.1 document, made of the schemas that validate. */
export async function collectOpenApi(api: FastifyInstance, options: OpenApiOptions): Promise<void> {
  const { title, description, version, securitySchemes } = options
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version },
      components: {
        parameters: { correlationId },
        ...(securitySchemes && { securitySchemes: { ...securitySchemes } }),
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (collected) => {
      if (!('openapiObject' in collected)) return collected.swaggerObject
      return withCorrelationId(collected.openapiObject)
    },
  })
}

type OpenApiDocument = { paths?: Record<string, object | undefined> | undefined }

function withCorrelationId<Document extends OpenApiDocument>(document: Document): Document {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path ?? {}) as { parameters?: object[] }[]) {
      operation.parameters ??= []
      operation.parameters.push({ $ref: '#/components/parameters/correlationId' })
    }
  }
  return document
}
