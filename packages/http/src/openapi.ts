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

/** Collects the routes added from now on into an OpenAPI 3.1 document, made of the schemas that validate. */
export async function collectOpenApi(api: FastifyInstance, options: OpenApiOptions): Promise<void> {
  const { title, description, version, securitySchemes } = options
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version },
      ...(securitySchemes && { components: { securitySchemes: { ...securitySchemes } } }),
    },
    transform: jsonSchemaTransform,
  })
}
