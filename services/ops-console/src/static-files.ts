import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
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

export const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Reads the files of a folder, to serve them below the path. */
export async function readStaticFiles(folder: URL, below: string): Promise<StaticFile[]> {
  const names = (await readdir(folder)).filter((name) => extname(name) in types)
  return Promise.all(
    names.map(async (name) =>
      staticFile(
        `${below}/${name}`,
        types[extname(name)]!,
        await readFile(new URL(name, folder), 'utf8'),
      ),
    ),
  )
}

export function staticFile(path: string, type: string, content: string): StaticFile {
  return { path, type, content, etag: `"${hash('sha256', content, 'base64url')}"` }
}

/**
 * Serves a file, which the browser caches and revalidates each time. If `redirect` returns an address, the response is
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

const safetyHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}
