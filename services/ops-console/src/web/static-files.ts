import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Bundle } from './bundle.ts'

/** A request for a page. Its address is a path of this server, with the query. */
type Asked = { headers: IncomingHttpHeaders; url: string }

/**
 * Pages load their own files and call only this server. Scripts fetch the pictures of letters. No form is submitted
 * without a script.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const safetyHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}
const hashOfName = /-[A-Z0-9]{8}(?=\.\w+$)/

/**
 * Serves the page that `read` returns, which the browser caches and revalidates each time. If `redirect` returns an
 * address, the response is a redirect to it.
 */
export function servePage(
  api: Api,
  path: string,
  read: () => Promise<string>,
  redirect: (request: Asked) => Promise<string | undefined>,
): void {
  api.route({
    method: 'GET',
    url: path,
    logLevel: 'warn',
    config: { open: true },
    schema: { hide: true },
    handler: async ({ headers, url }, reply) => {
      const elsewhere = await redirect({ headers, url })
      reply.header('cache-control', 'no-cache').header('vary', 'cookie')
      if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
      const content = await read()
      const etag = `"${hash('sha256', content, 'base64url')}"`
      reply.header('etag', etag).headers(safetyHeaders)
      if (headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type('text/html; charset=utf-8').send(content)
    },
  })
}

/**
 * Serves the bundle, which contains nothing secret. A browser asks for each file once. While two releases run, a page of
 * the other one asks for its own file. It gets the file of this release, which the browser does not keep.
 */
export function serveBundle(api: Api, read: () => Promise<Bundle>): void {
  api.route({
    method: 'GET',
    url: '/console/:name',
    logLevel: 'warn',
    config: { open: true },
    schema: { hide: true },
    handler: async ({ params }, reply) => {
      const { name } = params as { name: string }
      const bundle = await read()
      const own = nameIn(bundle, name.replace(hashOfName, ''))
      if (own === undefined) throw new Problem('route-not-found', 'The address does not exist')
      return reply
        .header('cache-control', own === name ? 'public, max-age=31536000, immutable' : 'no-store')
        .headers(safetyHeaders)
        .type(`text/${own.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`)
        .send(bundle.get(own))
    },
  })
}

/** Returns the path of a file by its name without the hash. */
export function pathOf(bundle: Bundle, file: string): string {
  return `/console/${nameIn(bundle, file)}`
}

function nameIn(bundle: Bundle, file: string): string | undefined {
  return [...bundle.keys()].find((name) => name.replace(hashOfName, '') === file)
}
