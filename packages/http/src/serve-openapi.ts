import type { FastifyInstance } from 'fastify'
import { etagOf, isKnown } from './etag.ts'

/**
 * Serves the OpenAPI document at `<prefix>/v1/openapi.json`. It is made once, for the first request. A client that has
 * it gets 304.
 */
export function serveOpenApi(api: FastifyInstance, prefix: string): void {
  let made: { text: string; etag: string } | undefined
  const make = () => {
    const text = JSON.stringify(api.swagger())
    return { text, etag: etagOf(text) }
  }
  api.route({
    method: 'GET',
    url: `${prefix}/v1/openapi.json`,
    schema: { hide: true },
    config: { open: true },
    handler: async (request, reply) => {
      made ??= make()
      reply.headers({ etag: made.etag, 'cache-control': 'no-cache' })
      if (isKnown(request.headers['if-none-match'], made.etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(made.text)
    },
  })
}
