import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Api } from './api.ts'
import { etagOf, isKnown } from './etag.ts'

type File = { type: string; content: Buffer; compressed: Buffer; etag: string }

const types = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
} as const

/** Files of Swagger UI, which the page loads from this server. */
export const libraryFiles = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
]
const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The page calls only this server. Swagger UI has pictures in its stylesheet. */
const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Despatch APIs</title>
    <link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/additions.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/**
 * Colours with enough contrast in both looks, where those of Swagger UI have too little. The page sends no requests, so
 * it asks for no credentials: its dialog only describes them.
 */
const additions = `body { margin: 0; }
.swagger-ui .auth-container :is(label, input, .auth-btn-wrapper) { display: none; }
html:not(.dark-mode) .swagger-ui {
  .opblock-get .opblock-summary-method { background: #1a5fb4; }
  .opblock-post .opblock-summary-method { background: #1b7a43; }
  .opblock-put .opblock-summary-method { background: #9a5a00; }
  .opblock-delete .opblock-summary-method { background: #c01c28; }
  .info .title small, .info .title small.version-stamp { background: #4a5160; }
  .info .url { color: #1a5fb4; }
  .btn.authorize { border-color: #1b7a43; color: #1b7a43; svg { fill: #1b7a43; } }
  .parameter__in, .json-schema-2020-12-expand-deep-button { color: #4a4a4a; }
  .json-schema-2020-12__constraint--string { background: #9a5a00; }
}
html.dark-mode .swagger-ui {
  .header-col, .examples-select__section-label { color: #d0d0d0; }
}
`

export type ReferenceAnswer = {
  status: 200 | 304
  headers: Readonly<Record<string, string | number>>
  content: Buffer | undefined
}

/** Answers a request for the path, or returns undefined if the reference has no such file. */
export type ApiReference = (
  path: string,
  headers: IncomingHttpHeaders,
) => Promise<ReferenceAnswer> | undefined

/** Reads a file of Swagger UI. */
type ReadFile = (path: string, encoding: 'utf8') => Promise<string>

/** Returns the reference of the APIs with these prefixes, which is at /docs. Each file is read once. */
export function createApiReference(
  prefixes: readonly string[],
  { read = readFile }: { read?: ReadFile } = {},
): ApiReference {
  const makers = makersOf(prefixes, read)
  const files = new Map<string, Promise<File>>()

  async function answer(path: string, make: () => Promise<File>, headers: IncomingHttpHeaders) {
    const file = files.get(path) ?? make()
    files.set(path, file)
    // A read that failed is tried again for the next request.
    file.catch(() => files.delete(path))
    return answerWith(await file, headers)
  }

  return (path, headers) => {
    const make = makers.get(path)
    return make && answer(path, make, headers)
  }
}

/** Serves the reference of the APIs with these prefixes at /docs. */
export function serveApiReference(api: Api, prefixes: readonly string[]): void {
  const reference = createApiReference(prefixes)
  for (const url of makersOf(prefixes, readFile).keys()) {
    api.route({
      method: 'GET',
      url,
      logLevel: 'warn',
      config: { open: true },
      schema: { hide: true },
      handler: async (request, reply) => {
        const { status, headers, content } = await reference(url, request.headers)!
        return reply.code(status).headers(headers).send(content)
      },
    })
  }
}

function makersOf(
  prefixes: readonly string[],
  read: ReadFile,
): ReadonlyMap<string, () => Promise<File>> {
  const made = (extension: keyof typeof types, text: string) => () => fileOf(extension, text)
  return new Map([
    ...['/docs', '/docs/'].map((path) => [path, made('', page)] as const),
    ['/docs/additions.css', made('.css', additions)],
    ['/docs/start.js', made('.js', startScript(prefixes))],
    ...libraryFiles.map((name) => [`/docs/${name}`, () => readLibraryFile(name, read)] as const),
  ])
}

function answerWith(
  { type, content, compressed, etag }: File,
  asked: IncomingHttpHeaders,
): ReferenceAnswer {
  if (isKnown(asked['if-none-match'], etag)) {
    return { status: 304, headers: { ...headers, etag }, content: undefined }
  }
  const isCompressed = takesGzip(asked['accept-encoding'])
  const sent = isCompressed ? compressed : content
  const described = { 'content-type': type, 'content-length': sent.length, etag }
  const encoding = isCompressed ? { 'content-encoding': 'gzip' } : {}
  return { status: 200, headers: { ...headers, ...described, ...encoding }, content: sent }
}

function takesGzip(acceptEncoding: string | string[] = ''): boolean {
  const encodings = String(acceptEncoding).split(',')
  return encodings.some((each) => /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]).*)?$/i.test(each))
}

async function readLibraryFile(name: string, read: ReadFile): Promise<File> {
  const content = await read(join(library, name), 'utf8')
  // The maps of the sources are not served.
  const withoutMap = content.replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n')
  return fileOf(name.endsWith('.css') ? '.css' : '.js', withoutMap)
}

/** Both forms of a file have one weak tag, because they mean the same. */
async function fileOf(extension: keyof typeof types, text: string): Promise<File> {
  const content = Buffer.from(text)
  const compressed = await promisify(gzip)(content)
  return { type: types[extension], content, compressed, etag: `W/${etagOf(text)}` }
}

const controlNames = {
  '#servers': 'Server',
  '.examples-select-element': 'Example',
  '.close-modal': 'Close',
}

/**
 * Requests are not sent from the page, and no document is sent to a validator. The logo of Swagger UI would need a style
 * that the policy blocks. Some controls have no names for screen readers.
 */
function startScript(prefixes: readonly string[]): string {
  const urls = prefixes.map((prefix) => ({
    name: prefix.slice(1),
    url: `${prefix}/v1/openapi.json`,
  }))
  const settings = {
    urls,
    dom_id: '#reference',
    layout: 'StandaloneLayout',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    supportedSubmitMethods: [],
    validatorUrl: null,
  }
  return `SwaggerUIBundle({
  ...${JSON.stringify(settings)},
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [() => ({ components: { Logo: () => null } })],
})
const names = ${JSON.stringify(controlNames)}
new MutationObserver(() => {
  for (const [selector, name] of Object.entries(names))
    for (const control of document.querySelectorAll(selector)) control.ariaLabel = name
}).observe(document.body, { childList: true, subtree: true })
`
}
