import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answerBelowRouting, type Refusing } from '../src/answer-below-routing.ts'
import { aSmallApi, statuses } from './a-small-api.ts'

const renderAs = (name: string): Refusing => ({
  renderProblem: ({ kind, message }) => ({
    status: statuses[kind] ?? 500,
    body: { name, kind, detail: message },
  }),
  renderFault: () => ({ status: 500, body: { name } }),
  recordRefusal: () => {},
})

async function aPort() {
  const { api, lines, metrics } = await aSmallApi(renderAs('things'))
  const { port } = new URL(await api.listen({ host: '127.0.0.1', port: 0 }))
  return { port: Number(port), lines, metrics }
}

/** Sends the text and returns everything that the server sends until it closes the connection. */
async function exchange(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2)))
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) }
}

/** Sends a GET for the target, which need not be a path. */
function get(port: number, target: string) {
  return exchange(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
}

test.for([
  ['a malformed request', 'GET\r\n\r\n', 400, 'malformed-request'],
  [
    'a length that is not a number',
    'POST /things HTTP/1.1\r\nhost: x\r\ncontent-length: one\r\n\r\n',
    400,
    'malformed-request',
  ],
  [
    'headers that are too large',
    `GET /things HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers-too-large',
  ],
  ['a request without Host', 'GET /things HTTP/1.1\r\n\r\n', 400, 'malformed-request'],
  [
    'a method in small letters',
    'get /things HTTP/1.1\r\nhost: x\r\n\r\n',
    405,
    'method-not-allowed',
  ],
  ['an unknown method', '\r\nFETCH /things HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'method-not-allowed'],
  [
    'a method like a known one',
    'GETS /things HTTP/1.1\r\nhost: x\r\n\r\n',
    405,
    'method-not-allowed',
  ],
  [
    'a segment of two dots',
    'GET /things/v1/.. HTTP/1.1\r\nhost: x\r\n\r\n',
    400,
    'malformed-request',
  ],
  ['encoded dots', 'GET /things/v1/%2e%2E/a HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'malformed-request'],
  [
    'a path that is not UTF-8',
    'GET /things/%ff HTTP/1.1\r\nhost: x\r\n\r\n',
    400,
    'malformed-request',
  ],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n', 405, 'method-not-allowed'],
  [
    'an unknown Expect',
    'POST /things HTTP/1.1\r\nhost: x\r\nexpect: more\r\ncontent-length: 1\r\n\r\n',
    417,
    'expectation-failed',
  ],
] as const)('answers %s in the shape of the API', async ([, text, status, kind]) => {
  const answer = await exchange((await aPort()).port, text)

  expect(answer).toMatchObject({ status, body: { name: 'things', kind } })
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-correlation-id': expect.stringMatching(/^[\da-f-]{36}$/),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
})

test('bytes after the end of a body are an invalid request, not an unknown method', async () => {
  const socket = connect((await aPort()).port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write('POST /things HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}{"a": 1}')
  await once(socket, 'close')

  const statuses = Buffer.concat(chunks)
    .toString()
    .match(/HTTP\/1\.1 \d+/g)
  expect(statuses).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400'])
})

test('serves paths with dots that are not dot segments', async () => {
  const answer = await get((await aPort()).port, '/things/v1/openapi.json?a=/../%ff')

  expect(answer.status).toBe(200)
})

test('serves a request with a hundred headers, and refuses more as too many', async () => {
  const { port } = await aPort()

  expect((await exchange(port, withHeaders(100))).status).toBe(200)
  expect(await exchange(port, withHeaders(101))).toMatchObject({
    status: 431,
    body: { kind: 'headers-too-large', detail: expect.stringContaining('at most 100 headers') },
  })
})

test('serves a request of HTTP/1.0 without Host', async () => {
  const answer = await exchange(
    (await aPort()).port,
    'GET /things/v1/openapi.json HTTP/1.0\r\n\r\n',
  )

  expect(answer).toMatchObject({ status: 200, body: { info: { title: 'Things' } } })
})

test.for([
  ['http://things.example:8080/things/v1/openapi.json?a', 200],
  ['HTTPS://things.example/things/v1/openapi.json', 200],
  ['http://things.example', 404],
  ['http://[::1]:8080/things/v1/openapi.json', 200],
] as const)('answers the target %s with %i', async ([target, status]) => {
  expect((await get((await aPort()).port, target)).status).toBe(status)
})

test.for([
  'http://user@things.example/things/v1/openapi.json',
  'http://user:password@things.example/things/v1/openapi.json',
  'http://@things.example/things/v1/openapi.json',
  'http:///things/v1/openapi.json',
  'http://:8080/things/v1/openapi.json',
  'http://things.example:port/things/v1/openapi.json',
  'http://things.example/things/v1/openapi.json#a',
  'ftp://things.example/things/v1/openapi.json',
  '*',
])('refuses the target %s', async (target) => {
  const answer = await get((await aPort()).port, target)

  expect(answer).toMatchObject({ status: 400, body: { kind: 'malformed-request' } })
})

test('the host of an absolute URL overrides the Host header, but does not replace a missing one', async () => {
  const server = createServer(
    { requireHostHeader: false },
    ({ url, headers: { host } }, response) => response.end(JSON.stringify({ url, host })),
  )
  const port = await listen(server)
  answerBelowRouting(server, renderAs('things'))
  const line = 'GET http://things.example:8080?a HTTP/1.1\r\nconnection: close\r\n'

  const served = await exchange(port, `${line}host: other.example\r\n\r\n`)
  const refused = await exchange(port, `${line}\r\n`)

  expect(served.body).toEqual({ url: '/?a', host: 'things.example:8080' })
  expect(refused).toMatchObject({ status: 400, body: { kind: 'malformed-request' } })
})

test('logs and counts each refusal under the id of its response, without content', async () => {
  const { port, lines, metrics } = await aPort()

  const malformed = await exchange(port, 'GET /things?secret HTTP/1.1\r\nno colon\r\n\r\n')
  const unmet = await exchange(
    port,
    'GET /things?secret HTTP/1.1\r\nhost: x\r\nexpect: more\r\nx-correlation-id: given-1\r\n\r\n',
  )

  expect(unmet.headers['x-correlation-id']).toBe('given-1')
  expect(lines.filter(({ msg }) => msg === 'request.refused')).toMatchObject([
    { problem: 'malformed-request', correlationId: malformed.headers['x-correlation-id'] },
    { problem: 'expectation-failed', correlationId: 'given-1' },
  ])
  expect(JSON.stringify(lines)).not.toContain('secret')
  const samples = await metrics.metrics()
  expect(samples).toContain('http_requests_refused_total{problem="malformed-request"')
  expect(samples).toContain('http_requests_refused_total{problem="expectation-failed"')
})

test('answers a request that takes too long to arrive', async () => {
  const server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 })
  const port = await listen(server)
  answerBelowRouting(server, renderAs('things'))

  const answer = await exchange(port, 'GET /things HTTP/1.1\r\n')

  expect(answer).toMatchObject({ status: 408, body: { kind: 'request-timeout' } })
})

test('a server of several APIs answers in the error format of the API at the path', async () => {
  const server = createServer()
  const port = await listen(server)
  answerBelowRouting(server, (url) => renderAs(url))

  const malformed = await exchange(port, 'GET /a/v1?b HTTP/1.1\r\nno colon\r\n\r\n')
  const unmet = await exchange(port, 'GET /c/v1 HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n')
  const absolute = await exchange(port, 'GET HTTP://x/d/v1 HTTP/1.1\r\nno colon\r\n\r\n')
  const small = await exchange(port, '\r\npost /e/v1 HTTP/1.1\r\nhost: x\r\n\r\n')
  const dotted = await exchange(port, 'GET /f/../g HTTP/1.1\r\nhost: x\r\n\r\n')
  const large = `GET /h/v1 HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`
  const answers = [malformed, unmet, absolute, small, dotted, await exchange(port, large)]

  const names = answers.map(({ status, body }) => [status, body.name])
  expect(names).toEqual([
    [400, '/a/v1?b'],
    [417, '/c/v1'],
    [400, '/d/v1'],
    [405, '/e/v1'],
    [400, '/f/../g'],
    [431, '/h/v1'],
  ])
})

test('answers an unlisted problem of the API as a fault', async () => {
  const server = createServer()
  const port = await listen(server)
  answerBelowRouting(server, { ...renderAs('things'), renderProblem: () => undefined })

  const answer = await exchange(port, 'GET\r\n\r\n')

  expect(answer).toMatchObject({ status: 500, body: { name: 'things' } })
})

test('writes nothing into a response that has begun, even with another response behind it', async () => {
  const begun = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    if (request.url === '/a') response.write('begun', () => begun.resolve())
  })
  const port = await listen(server)
  answerBelowRouting(server, renderAs('things'))
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})

  socket.write('GET /a HTTP/1.1\r\nhost: x\r\n\r\n')
  await begun.promise
  socket.write('GET /b HTTP/1.1\r\nhost: x\r\n\r\nGET\r\n\r\n')
  await once(socket, 'close')

  const received = Buffer.concat(chunks).toString()
  expect(received).toMatch(/begun\r\n$/)
  expect(received).not.toContain('malformed')
})

function withHeaders(count: number): string {
  const others = Array.from({ length: count - 2 }, (_, index) => `x-${index}: a\r\n`)
  const first = 'host: x\r\nconnection: close\r\n'
  return `GET /things/v1/openapi.json HTTP/1.1\r\n${first}${others.join('')}\r\n`
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
