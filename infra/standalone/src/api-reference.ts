import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

type File = { type: string; content: Buffer; etag: string }

const types = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
} as const

/** Files of Swagger UI, which the page loads from this server. */
const libraryFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js']
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

/**
 * Returns the reference of the APIs with these prefixes: a function that answers a request for the path below /docs.
 * It returns false if there is no such file. `refuses` answers a request from a source that sends too many.
 */
export function createApiReference(
  prefixes: readonly string[],
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  const files = new Map<string, Promise<File>>([
    ['/docs', Promise.resolve(fileOf('', page))],
    ['/docs/additions.css', Promise.resolve(fileOf('.css', additions))],
    ['/docs/start.js', Promise.resolve(fileOf('.js', startScript(prefixes)))],
  ])

  function findFile(path: string): Promise<File> | undefined {
    const name = path.slice('/docs/'.length)
    if (!files.has(path) && libraryFiles.includes(name)) files.set(path, readLibraryFile(name))
    return files.get(path)
  }

  return (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const found = isRead && findFile(path)
    if (!found) return false
    if (refuses(request, response)) return true
    found.then(
      ({ type, content, etag }) => {
        const isKnown = request.headers['if-none-match'] === etag
        response.writeHead(isKnown ? 304 : 200, { ...headers, 'content-type': type, etag })
        response.end(isKnown || request.method === 'HEAD' ? undefined : content)
      },
      (error: Error) => response.destroy(error),
    )
    return true
  }
}

async function readLibraryFile(name: string): Promise<File> {
  const content = await readFile(join(library, name), 'utf8')
  // The maps of the sources are not served.
  const withoutMap = content.replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n')
  return fileOf(name.endsWith('.css') ? '.css' : '.js', withoutMap)
}

function fileOf(extension: keyof typeof types, text: string): File {
  const etag = `"${hash('sha256', text, 'base64url')}"`
  return { type: types[extension], content: Buffer.from(text), etag }
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
