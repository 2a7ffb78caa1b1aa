import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { readConfig } from '@despatch/config/read-config'
import { createApi } from '@despatch/http/api'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { gatewayConfig } from '../src/config.ts'
import { createGateway } from '../src/service.ts'

const service = await shared(
  listen(async (request) => ({
    method: request.method,
    url: request.url,
    key: request.headers['x-api-key'],
    forwarded: request.headers['x-forwarded-for'],
    type: request.headers['content-type'],
    body: await text(request),
  })),
)
const smallBodiesUrl = await aServiceOfSmallBodies()
const gone = await listen(async () => ({}))
const goneUrl = urlOf(gone)
gone.close()
const config = readConfig(gatewayConfig, {
  PORT: '0',
  DESPATCH_GUIDES_URL: 'https://guides.despatch.example/',
  DESPATCH_ROUTES: `/print-request=${urlOf(service)} /print-fulfilment=${goneUrl} /vehicle-enquiry=${goneUrl} /thirdparty-access=${goneUrl} /driver-find=${smallBodiesUrl}`,
})
const log = createLogger({ service: 'gateway', level: 'silent' })
const gateway = await shared(createGateway(config, { log }))
const url = await gateway.api.listen({ host: '127.0.0.1', port: 0 })

async function aServiceOfSmallBodies() {
  const api = await shared(
    createApi({
      name: 'driver-find',
      prefix: '/driver-find',
      log: createLogger({ service: 'driver-find', level: 'silent' }),
      metrics: createMetrics('driver-find'),
      bodyBytesMax: 1_024,
      openapi: { title: 'Small bodies', description: '', version: '1.0.0' },
      renderProblem: ({ kind }) => ({ status: kind === 'body-too-large' ? 413 : 404, body: {} }),
      renderFault: () => ({ status: 500, body: {} }),
    }),
  )
  api.route({
    method: 'POST',
    url: '/driver-find/v1',
    config: { open: true },
    handler: async () => ({}),
  })
  return api.listen({ host: '127.0.0.1', port: 0 })
}

test('forwards path, query, headers and body unchanged', async () => {
  const response = await fetch(`${url}/print-request/v1/print/jobs?a=b%20c`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'key',
      'x-forwarded-for': '203.0.113.9',
    },
    body: '{"id": "1"}',
  })

  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 202,
    body: {
      method: 'POST',
      url: '/print-request/v1/print/jobs?a=b%20c',
      key: 'key',
      // the caller's own claim comes first, the address that the gateway sees last
      forwarded: '203.0.113.9, 127.0.0.1',
      type: 'application/json',
      body: '{"id": "1"}',
    },
  })
})

test('reads bodies only at the pace of the services, not of callers at one address', async () => {
  const { delayMs } = gateway.api.bodyPace
  onTestFinished(() => {
    gateway.api.bodyPace.delayMs = delayMs
  })
  gateway.api.bodyPace.delayMs = () => 3_600_000
  const body = 'x'.repeat(8 * 1024 * 1024)

  const answers = await Promise.all(
    ['one', 'two'].map(async (key) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key }
      const response = await fetch(`${url}/print-request/v1`, { method: 'POST', headers, body })
      return (await response.json()) as { key: string; body: string }
    }),
  )

  expect(answers.map((answer) => [answer.key, answer.body.length])).toEqual([
    ['one', body.length],
    ['two', body.length],
  ])
})

test('refuses a too large body like its service does, before it has arrived', async () => {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST /driver-find/v1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${2 ** 20}\r\n\r\n `,
  )

  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 .*x-content-type-options: nosniff/s)

  socket.write(`${' '.repeat(2 ** 20 - 1)}GET /driver-find/v1 HTTP/1.1\r\nhost: x\r\n\r\n`)
  const [next] = (await once(socket, 'data')) as [Buffer]
  expect(next.toString()).toMatch(/^HTTP\/1\.1 404 /)
})

const detail = expect.any(String)
const asPrint = (status: string) => ({
  errors: [{ status, code: expect.any(String), detail }],
})
const asAccess = (status: number) => [{ status, code: status, title: expect.any(String), detail }]

test.each([
  ['a malformed request', '/thirdparty-access', 'no colon', asAccess(400)],
  ['an unknown Expect', '/thirdparty-access', 'expect: x', asAccess(417)],
  ['encoded dots', '/thirdparty-access/v1/%2E%2e', 'x-a: b', asAccess(400)],
  ['a backslash beside dots', '/thirdparty-access/a\\..\\..\\metrics', 'x-a: b', asAccess(400)],
  ['a service that does not respond', '/thirdparty-access', 'x-a: b', asAccess(503)],
  ['an unknown prefix', '/elsewhere', 'x-a: b', asPrint('404 NOT_FOUND')],
])('%s below %s is answered in the error format of the API', async (_what, path, header, body) => {
  expect(await exchange(`GET ${path}?a HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`)).toEqual(body)
})

test('503: the service does not answer', async () => {
  const response = await fetch(`${url}/print-fulfilment/v1/print-runs`)

  expect({ status: response.status, body: await response.json() }).toEqual(
    aProblem(503, expect.objectContaining({ detail: 'The service does not respond' })),
  )
  expect(response.headers.get('retry-after')).toMatch(/^[2-5]$/)
})

test('accepts an absolute URL as the target of a request', async () => {
  const path = 'http://despatch.example:8080/print-request/v1/print/jobs?a=b%20c'
  const asked = request({ port: new URL(url).port, host: '127.0.0.1', path }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]

  expect(JSON.parse(await text(answer))).toMatchObject({
    method: 'GET',
    url: '/print-request/v1/print/jobs?a=b%20c',
  })
})

test('is ready when every service is ready, and does not name failing services publicly', async () => {
  const response = await fetch(`${url}/health/ready`)

  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 503,
    body: { status: 'not-ready' },
  })
})

/** Sends the text and returns the JSON of the answer. */
async function exchange(sent: string): Promise<unknown> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(sent.replace(/\r\n\r\n$/, '\r\nconnection: close\r\n\r\n'))
  const answer = await text(socket)
  // The body may be in chunks.
  return JSON.parse(/[[{].*[\]}]/s.exec(answer.slice(answer.indexOf('\r\n\r\n')))![0])
}

function listen(answer: (request: IncomingMessage) => Promise<unknown>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = await answer(request)
    response.writeHead(request.method === 'POST' ? 202 : 200).end(JSON.stringify(body))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each(['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'])(
  'redirects a browser that accepts %s from / to the reference',
  async (accept) => {
    const { status, headers } = await fetch(url, { headers: { accept }, redirect: 'manual' })

    expect([status, headers.get('location'), headers.get('vary')]).toEqual([302, '/docs', 'accept'])
  },
)

test.each(['application/json', '*/*'])('lists its documents at / for %s', async (accept) => {
  const answer = await fetch(url, { headers: { accept } })

  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      name: 'Despatch',
      links: {
        reference: '/docs',
        guides: 'https://guides.despatch.example/',
        openapi: {
          'print-request': '/print-request/v1/openapi.json',
          'print-fulfilment': '/print-fulfilment/v1/openapi.json',
          'vehicle-enquiry': '/vehicle-enquiry/v1/openapi.json',
          'thirdparty-access': '/thirdparty-access/v1/openapi.json',
          'driver-find': '/driver-find/v1/openapi.json',
        },
      },
    },
  ])
})

test('shows the reference of its APIs, with links to the guides', async () => {
  const pages = await Promise.all(['/docs', '/docs/'].map((path) => fetch(url + path)))
  const [text, same] = await Promise.all(pages.map((page) => page.text()))

  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(text).toBe(same)
  expect(text).toContain('"url": "/print-request/v1/openapi.json"')
  expect(text).toContain('(https://guides.despatch.example/docs/first-print-jobs.html)')
  expect(text).not.toContain('credentials.json')
})

test('the reference loads its script from this server only', async () => {
  const page = await fetch(`${url}/docs`)
  const text = await page.text()
  const loaded = [...text.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g)]
  const policy = page.headers.get('content-security-policy')!

  expect(loaded.map(([, address]) => address)).toEqual(['/docs/js/scalar.js'])
  const inline = [...text.matchAll(/<script type="text\/javascript">(.*?)<\/script>/gs)]
  const hashes = inline.map(([, code]) => `'sha256-${hash('sha256', code!, 'base64')}'`)
  expect(hashes).toHaveLength(1)
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self' ${hashes[0]}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
})

test('the reference has no statistics, assistant, external fonts or external client', async () => {
  const text = await (await fetch(`${url}/docs`)).text()
  const [, settings] = /createApiReference\('#app', (\{.*?\})\)\s*<\/script>/s.exec(text)!

  expect(JSON.parse(settings!)).toMatchObject({
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  })
  expect(JSON.parse(settings!)).not.toHaveProperty('proxyUrl')
})

test.each([
  ['gzip', 'gzip'],
  ['br, gzip;q=0.8', 'gzip'],
  ['identity', null],
  ['gzip;q=0, br', null],
])(
  'sends the script to a caller that accepts %s in the encoding %s',
  async (accepted, encoding) => {
    const { headers, script } = await rawScript({ 'accept-encoding': accepted })

    expect(headers['content-encoding'] ?? null).toBe(encoding)
    expect(headers.vary).toBe('accept-encoding')
    const plain = encoding === 'gzip' ? gunzipSync(script) : script
    expect(plain.toString()).toContain('createApiReference')
  },
)

test('sends the script once to a caller that caches it', async () => {
  const { headers } = await rawScript({})

  const again = await rawScript({ 'if-none-match': headers.etag! })

  expect([again.status, again.script.length]).toEqual([304, 0])
})

test('serves nothing else below /docs, and only reads', async () => {
  const statuses = await Promise.all(
    [
      ['GET', '/docs/package.json'],
      ['GET', '/docs/openapi.json'],
      ['POST', '/docs'],
      ['HEAD', '/docs'],
    ].map(async ([method, path]) => (await fetch(url + path, { method: method! })).status),
  )

  expect(statuses).toEqual([404, 404, 405, 200])
})

/** Unlike `fetch`, does not decompress. */
async function rawScript(headers: Record<string, string>) {
  const asked = request(`${url}/docs/js/scalar.js`, { headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, script: await buffer(answer) }
}
