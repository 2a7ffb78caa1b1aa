import type { Api } from '@despatch/http/api'
import { serveApiReference } from '@despatch/http/api-reference'
import { type StartPageOptions, titleOf, writeStartPage } from './start-page.ts'

/** Serves what leads to the APIs with these prefixes: their reference at /docs, and at / a way to it. */
export function serveEntrance(api: Api, options: StartPageOptions): void {
  const { prefixes, guidesUrl } = options
  const apis = prefixes.map((prefix) => ({
    title: titleOf(prefix),
    slug: prefix.slice(1),
    url: `${prefix}/v1/openapi.json`,
  }))
  const info = { title: 'Despatch', version: '', description: writeStartPage(options) }
  const start = { title: 'Start', slug: 'start', content: { openapi: '3.1.0', info, paths: {} } }
  serveApiReference(api, { parts: [start, ...apis], sendsRequests: true })

  const links = {
    reference: '/docs',
    openapi: Object.fromEntries(apis.map(({ slug, url }) => [slug, url])),
    ...(guidesUrl !== undefined && { guides: guidesUrl }),
  }
  api.route({
    method: 'GET',
    url: '/',
    logLevel: 'warn',
    config: { open: true },
    schema: { hide: true },
    handler: async ({ headers }, reply) => {
      reply.header('vary', 'accept')
      if (headers.accept?.includes('text/html')) return reply.redirect('/docs', 302)
      return reply.type('application/json; charset=utf-8').send({ name: 'Despatch', links })
    },
  })
}
