import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { Api } from '@despatch/http/api'

/** A request for a file. Its address is a path of this server, with the query. */
export type Asked = { headers: IncomingHttpHeaders; url: string }

export type StaticFile = { path: string; type: string; content: string; etag: string }

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

/** In the order in which they apply. A later rule overrides an earlier one. */
const styleSheets = [
  'tokens',
  'base',
  'controls',
  'tables',
  'details',
  'forms',
  'narrow',
  'additions',
] as const
const plots = import.meta.resolve('uplot/dist/uPlot.min.css')

/** Reads the style sheets of the pages, that of the plots first, as one file. */
export async function readStyles(folder: URL): Promise<StaticFile> {
  const urls = [plots, ...styleSheets.map((name) => new URL(`styles/${name}.css`, folder))]
  const texts = await Promise.all(urls.map((url) => readFile(new URL(url), 'utf8')))
  return staticFile('/console/styles.css', 'text/css; charset=utf-8', texts.join('\n'))
}

export function staticFile(path: string, type: string, content: string): StaticFile {
  return { path, type, content, etag: `"${hash('sha256', content, 'base64url')}"` }
}

/**
 * Serves a page, which the browser caches and revalidates each time. If `redirect` returns an address, the response is
 * a redirect to it.
 */
export function serveFile(
  api: Api,
  { path, type, content, etag }: StaticFile,
  redirect: (request: Asked) => Promise<string | undefined> = async () => undefined,
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
      reply.header('etag', etag).headers(safetyHeaders)
      if (headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(content)
    },
  })
}

/** The files of all pages, at paths that change with any of them. */
export type Assets = {
  /** Returns the path at which this process serves a file. */
  pathOf(path: string): string
}

/**
 * Serves files that contain nothing secret below a version of all of them, so that a browser asks for each once and the
 * limit for one address is left to the pages. While two releases run, a page of the other one asks for its own version.
 * It gets the file of this release, which the browser does not keep.
 */
export function serveAssets(api: Api, files: readonly StaticFile[]): Assets {
  const version = hash('sha256', files.map(({ path, etag }) => path + etag).join(), 'hex').slice(
    0,
    16,
  )
  const below = (path: string, part: string) => path.replace(/^\/console\//, `/console/${part}/`)
  for (const { path, type, content } of files) {
    api.route({
      method: 'GET',
      url: below(path, ':version'),
      logLevel: 'warn',
      config: { open: true },
      schema: { hide: true },
      handler: async ({ params }, reply) => {
        const isThis = (params as { version: string }).version === version
        return reply
          .header('cache-control', isThis ? 'public, max-age=31536000, immutable' : 'no-store')
          .headers(safetyHeaders)
          .type(type)
          .send(content)
      },
    })
  }
  return { pathOf: (path) => below(path, version) }
}

const safetyHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}
