import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import type { Api } from './api.ts'
import { etagOf, isKnown } from './etag.ts'
import { referenceStyle } from './reference-style.ts'

/** A document of the reference, and the path of its OpenAPI document on this server or the document itself. */
type ReferencePart = { title: string; slug: string } & (
  | { url: string }
  | { content: Readonly<Record<string, unknown>> }
)

type ReferenceOptions = {
  /** The page begins with the first one. */
  parts: readonly ReferencePart[]
  /** True if the page may send requests to the APIs, with credentials that its reader enters. */
  sendsRequests: boolean
}

type File = { type: string; content: Buffer; compressed: Buffer; etag: string }
type Reference = { page: File; policy: string; script: File }

const scriptPath = '/docs/js/scalar.js'

/** Serves the reference of APIs at /docs. The first request loads it, because it takes memory and time of a start. */
export function serveApiReference(api: Api, options: ReferenceOptions): void {
  let loading: Promise<Reference> | undefined
  async function load(): Promise<Reference> {
    loading ??= loadReference(options)
    // A load that failed is tried again for the next request.
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  for (const [url, name] of [
    ['/docs', 'page'],
    ['/docs/', 'page'],
    [scriptPath, 'script'],
  ] as const) {
    api.route({
      method: 'GET',
      url,
      logLevel: 'warn',
      config: { open: true },
      schema: { hide: true },
      handler: async ({ headers }, reply) => {
        const { [name]: file, policy } = await load()
        reply.headers({ ...fixedHeaders, 'content-security-policy': policy, etag: file.etag })
        if (isKnown(headers['if-none-match'], file.etag)) return reply.code(304).send()
        reply.type(file.type)
        if (!takesGzip(headers['accept-encoding'])) return reply.send(file.content)
        return reply.header('content-encoding', 'gzip').send(file.compressed)
      },
    })
  }
}

const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

/**
 * The page calls only this server. Its script inserts styles without a nonce, so styles may be inline. They can load
 * nothing: no fonts, and no pictures but those in the page.
 */
function policyOf(page: string): string {
  const inline = [...page.matchAll(/<script type="text\/javascript">(.*?)<\/script>/gs)]
  const hashes = inline.map(([, text]) => `'sha256-${hash('sha256', text!, 'base64')}'`)
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Takes the page and its script from the plugin, in a server that never listens. */
async function loadReference({ parts, sendsRequests }: ReferenceOptions): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await using server = Fastify()
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      ...settings,
      sources: parts.map((part) => ({
        ...part,
        agent: { disabled: true },
        ...('content' in part && { hiddenClients: true as const }),
      })),
      hideTestRequestButton: !sendsRequests,
    },
  })
  const page = (await server.inject('/docs/')).body.replace('<html>', '<html lang="en">')
  const script = (await server.inject(scriptPath)).body
  return {
    page: await fileOf('text/html; charset=utf-8', page),
    policy: policyOf(page),
    script: await fileOf('text/javascript; charset=utf-8', script),
  }
}

/** Without what calls a server of the library's makers: their fonts, proxy, assistant, registry and statistics. */
const settings: Partial<ApiReferenceConfiguration> = {
  pageTitle: 'Despatch APIs',
  cdn: scriptPath,
  favicon: 'data:,',
  theme: 'none',
  customCss: referenceStyle,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  featuredClients: ['shell/curl', 'js/fetch', 'python/requests'],
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: [['jwt', 'apiKey']] },
}

/** Both forms of a file have one weak tag, because they mean the same. */
async function fileOf(type: string, text: string): Promise<File> {
  const content = Buffer.from(text)
  const compressed = await promisify(gzip)(content)
  return { type, content, compressed, etag: `W/${etagOf(text)}` }
}

function takesGzip(acceptEncoding: string | string[] = ''): boolean {
  const encodings = String(acceptEncoding).split(',')
  return encodings.some((each) => /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]).*)?$/i.test(each))
}
