import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Problem } from '@despatch/domain/problem'
import { unlistedHeaders } from '@despatch/testing/unlisted-headers'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { aSmallApi, statuses } from '../test/a-small-api.ts'
import type { Api } from './api.ts'
import { addToLogLine } from './request-log.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const caller = { consumerId: 'c1', apiKeyHash: Buffer.alloc(32), roles: ['consumer'] as const }

async function aThingsApi() {
  const opened = await aSmallApi({
    memberReader: () => ({ read: () => ({ paths: [], count: 0 }), suggest: () => undefined }),
    authenticate: async (headers) => {
      if (headers['x-api-key'] === 'right') return caller
      throw new Problem('not-authenticated', 'Say who you are')
    },
    renderProblem: ({ kind, message, faults }) => {
      const status = statuses[kind]
      return status === undefined
        ? undefined
        : {
            status,
            body: { kind, detail: message, faults },
            ...(kind === 'not-authenticated' && { headers: { 'www-authenticate': 'Bearer' } }),
          }
    },
  })
  addRoutes(opened.api)
  return opened
}

function addRoutes(api: Api): void {
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    schema: {
      operationId: 'submitThing',
      body: z.object({ name: z.string(), size: z.number().optional() }),
      response: {
        202: z.object({ id: z.string(), size: z.number() }),
        500: z.object({ errorId: z.string() }).describe('A fault'),
      },
    },
    handler: async (request, reply) => {
      addToLogLine(request, { thingId: 't1' })
      return reply.code(202).send({ id: request.body.name, size: request.body.size ?? 0 })
    },
  })
  api.route({
    method: 'GET',
    url: '/things/v1/things/:thingId',
    schema: { params: z.object({ thingId: z.string() }) },
    handler: async (request) => {
      const code = /^code-(.*)$/.exec(request.params.thingId)?.[1]
      if (code) throw Object.assign(new Error('SECRET'), { name: 'error', code })
      const kind = (['unavailable', 'too-many-requests'] as const).find(
        (each) => each === request.params.thingId,
      )
      if (kind) throw new Problem(kind, 'Not now')
      if (request.params.thingId === 'unlisted') throw new Problem('unlisted', 'SECRET')
      if (request.params.thingId === 'broken') throw new Error('disk of SECRET is full')
      return { thingId: request.params.thingId, caller: request.caller.consumerId }
    },
  })
  api.route({
    method: 'GET',
    url: '/things/v1/tagged',
    config: { sends: { 200: { ETag: 'A tag' } } },
    schema: { response: { 200: z.object({}) } },
    handler: async (_, reply) => reply.header('etag', '"a"').send({}),
  })
  api.route({ method: 'GET', url: '/things/v1/pages/:page.png', handler: async () => ({}) })
  api.route({
    method: 'GET',
    url: '/things/v1/open',
    config: { open: true },
    handler: async (request) => ({ id: request.id }),
  })
}

const authorised = { 'x-api-key': 'right' }
const post = { method: 'POST', url: '/things/v1/things', headers: authorised } as const
const jsonPost = {
  ...post,
  headers: { ...authorised, 'content-type': 'application/json' },
} as const

test.each([
  ['/things/v1/things?x=1', 'POST'],
  ['/things/v1/things/t1', 'GET, HEAD'],
])('a wrong method at %s is answered with the allowed methods', async (url, allow) => {
  const { api } = await aThingsApi()

  const answer = await api.inject({ method: 'DELETE', url, headers: authorised })

  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
})

test('gives the handler the parsed body without unknown members, and the caller', async () => {
  const { api } = await aThingsApi()

  const answer = await api.inject({ ...post, body: { name: 'a', size: 2, other: true } })
  const found = await api.inject({ url: '/things/v1/things/x%2Fy', headers: authorised })

  expect({ status: answer.statusCode, body: answer.json() }).toEqual({
    status: 202,
    body: { id: 'a', size: 2 },
  })
  expect(found.json()).toEqual({ thingId: 'x/y', caller: 'c1' })
})

test('names and logs the invalid fields of a body', async () => {
  const { api, lines } = await aThingsApi()

  const answer = await api.inject({ ...post, body: { size: 'SECRET' } })

  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toEqual({
    kind: 'invalid-field',
    detail: expect.any(String),
    faults: [
      { field: 'name', code: 'invalid_type', detail: expect.stringMatching(/^name: /) },
      { field: 'size', code: 'invalid_type', detail: expect.stringMatching(/^size: /) },
    ],
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    status: 400,
    problem: 'invalid-field',
    faults: ['name invalid_type', 'size invalid_type'],
  })
})

const refusals: [name: string, request: object, status: number, kind: string][] = [
  ['JSON that cannot be read', { ...jsonPost, body: '{"SECRET' }, 400, 'unreadable-body'],
  [
    'a body with a member twice',
    { ...jsonPost, body: '{"name":"a","name":"SECRET","size":1}' },
    400,
    'unreadable-body',
  ],
  [
    'a body that is not UTF-8',
    { ...jsonPost, body: Buffer.from([0x22, 0xff, 0x22]) },
    400,
    'unreadable-body',
  ],
  ['an empty body where one is wanted', jsonPost, 400, 'invalid-field'],
  ['no body and no content type where one is wanted', post, 400, 'invalid-field'],
  ['a body over the limit', { ...post, body: { name: 'x'.repeat(1_000) } }, 413, 'body-too-large'],
  [
    'another content type',
    { ...post, headers: { ...authorised, 'content-type': 'text/plain' }, body: 'a' },
    415,
    'unsupported-media-type',
  ],
  [
    'a body without a content type',
    { ...post, body: Buffer.from('{}') },
    415,
    'unsupported-media-type',
  ],
  ['an unknown address', { url: '/things/v1/nothing?SECRET' }, 404, 'route-not-found'],
  ['another method', { ...jsonPost, method: 'PUT', body: '{}' }, 405, 'method-not-allowed'],
  [
    'an address that lacks the end of a pattern',
    { url: '/things/v1/pages/1', headers: authorised },
    404,
    'route-not-found',
  ],
  [
    'an address that cannot be decoded',
    { url: '/things/v1/things/%zz', headers: authorised },
    404,
    'route-not-found',
  ],
  [
    'a path parameter without end',
    { url: `/things/v1/things/${'x'.repeat(2_000)}`, headers: authorised },
    404,
    'route-not-found',
  ],
  ['nobody', { url: '/things/v1/things/a' }, 401, 'not-authenticated'],
  [
    'nobody, before the body is looked at',
    { ...jsonPost, headers: { 'content-type': 'text/plain' }, body: '{' },
    401,
    'not-authenticated',
  ],
]

test.for(refusals)(
  'refuses %s in the error format of the API',
  async ([, request, status, kind]) => {
    const { api } = await aThingsApi()

    const answer = await api.inject(request)

    expect({ status: answer.statusCode, kind: answer.json().kind }).toEqual({ status, kind })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['x-correlation-id']).toMatch(uuid)
    expect(answer.body).not.toContain('SECRET')
    // sent with this kind only
    const isChallenge = kind === 'not-authenticated'
    expect(answer.headers['www-authenticate']).toBe(isChallenge ? 'Bearer' : undefined)
  },
)

test.each([
  ['a fault', 'broken', 'disk of SECRET is full'],
  ['a problem outside the table of the API', 'unlisted', 'SECRET'],
])('answers %s only with an id, and logs the error under that id', async (_what, id, message) => {
  const { api, lines } = await aThingsApi()

  const answer = await api.inject({ url: `/things/v1/things/${id}`, headers: authorised })

  const { errorId } = answer.json()
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ errorId: expect.stringMatching(uuid) })
  expect(lines.find(({ msg }) => msg === 'request.failed')).toMatchObject({
    level: 'error',
    errorId,
    correlationId: answer.headers['x-correlation-id'],
    err: { message },
  })
  expect(lines.find(({ msg }) => msg === 'request.served')).toMatchObject({ status: 500, errorId })
})

test('forbids caches and type guessing for every response', async () => {
  const { api } = await aThingsApi()
  const urls = [
    '/things/v1/tagged',
    '/things/v1/nothing',
    '/elsewhere',
    '/things/%',
    '/health/live',
  ]

  const answers = await Promise.all(
    urls.flatMap((url) => [api.inject({ url, headers: authorised }), api.inject({ url })]),
  )

  const expected = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  for (const { headers } of answers) expect(headers).toMatchObject(expected)
})

test('returns a valid correlation id, and otherwise creates one', async () => {
  const { api } = await aThingsApi()
  const ask = async (given: string) => {
    const answer = await api.inject({
      url: '/things/v1/open',
      headers: { 'x-correlation-id': given },
    })
    expect(answer.json().id).toBe(answer.headers['x-correlation-id'])
    return answer.json().id
  }

  expect(await ask('job 7/evening')).toBe('job 7/evening')
  expect(await ask('x'.repeat(255))).toBe('x'.repeat(255))
  expect(await ask('x'.repeat(256))).toMatch(uuid)
  expect(await ask('tab\there')).toMatch(uuid)
  expect(await ask('')).toMatch(uuid)
})

test('logs one line for a request, with pattern, outcome and ids, without the URL or the content', async () => {
  const { api, lines } = await aThingsApi()

  await api.inject({
    ...post,
    url: '/things/v1/things?token=SECRET',
    headers: { ...authorised, 'x-correlation-id': 'job-7', cookie: 'SECRET' },
    body: { name: 'SECRET' },
  })

  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      service: 'things',
      correlationId: 'job-7',
      method: 'POST',
      route: '/things/v1/things',
      status: 202,
      durationMs: expect.any(Number),
      consumerId: 'c1',
      thingId: 't1',
      msg: 'request.served',
    },
  ])
})

test.for(['ECONNREFUSED', '57P01', '53300', '53100', '57014', '55P03', '40001'])(
  'answers 503 with Retry-After, one warning and no stack, if the database reports %s',
  async (code) => {
    const { api, lines } = await aThingsApi()

    const answer = await api.inject({ url: `/things/v1/things/code-${code}`, headers: authorised })

    expect(answer.statusCode).toBe(503)
    expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
    expect(answer.json()).toEqual({
      kind: 'unavailable',
      detail: 'The service is temporarily unavailable. Retry the request.',
      faults: [],
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      msg: 'request.served',
      level: 'warn',
      status: 503,
      dependency: 'database',
      fault: code,
    })
    expect(JSON.stringify(lines)).not.toMatch(/SECRET|stack/)
  },
)

test('counts requests by method, pattern and status', async () => {
  const { api, metrics } = await aThingsApi()

  await api.inject({ url: '/things/v1/things/a', headers: authorised })
  await api.inject({ url: '/things/v1/things/b', headers: authorised })
  await api.inject({ url: '/things/v1/nothing' })

  const counts = (await metrics.metrics()).split('\n').filter((line) => line.includes('_count'))
  expect(counts).toEqual([
    'http_request_duration_seconds_count{service="things",method="GET",route="/things/v1/things/:thingId",status="200"} 2',
    'http_request_duration_seconds_count{service="things",method="GET",route="none",status="404"} 1',
  ])
})

test('serves its OpenAPI 3.1 document without credentials, from the schemas that validate', async () => {
  const { api } = await aThingsApi()

  const document = (await api.inject({ url: '/things/v1/openapi.json' })).json()

  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths)).toEqual([
    '/things/v1/things',
    '/things/v1/things/{thingId}',
    '/things/v1/tagged',
    '/things/v1/pages/{page}.png',
    '/things/v1/open',
  ])
  expect(
    document.paths['/things/v1/things'].post.requestBody.content['application/json'].schema,
  ).toMatchObject({ type: 'object', required: ['name'] })
  expect(document.components.parameters.correlationId).toMatchObject({
    name: 'X-Correlation-ID',
    in: 'header',
    required: false,
  })
  expect(document.paths['/things/v1/things/{thingId}'].get.parameters).toEqual([
    expect.objectContaining({ name: 'thingId' }),
    { $ref: '#/components/parameters/correlationId' },
  ])
})

test('documents the answers that come before the operation', async () => {
  const { api } = await aThingsApi()

  const { paths } = (await api.inject({ url: '/things/v1/openapi.json' })).json()

  const statuses = (path: string, method: string) => Object.keys(paths[path][method].responses)
  expect(statuses('/things/v1/things', 'post')).toEqual('202 400 405 413 415 500 503'.split(' '))
  expect(statuses('/things/v1/things/{thingId}', 'get')).toEqual([
    '200',
    '400',
    '404',
    '405',
    '503',
  ])
  expect(statuses('/things/v1/open', 'get')).toEqual(['200', '405', '503'])
  const { responses } = paths['/things/v1/things'].post
  const description = 'The address does not accept the method'
  expect(responses['405']).toMatchObject({
    description,
    content: { 'application/json': { schema: { required: ['errorId'] } } },
  })
  const counting = Object.keys(responses).filter(
    (status) => 'X-Unknown-Members' in responses[status].headers,
  )
  expect(counting).toEqual(['202', '400', '500', '503'])
})

test('documents the response headers', async () => {
  const { api } = await aThingsApi()
  const document = (await api.inject({ url: '/things/v1/openapi.json' })).json()
  const wrongMethod = { method: 'DELETE', url: '/things/v1/tagged', headers: authorised } as const

  const tagged = await api.inject({ url: '/things/v1/tagged', headers: authorised })
  const refused = await api.inject(wrongMethod)

  const { responses } = document.paths['/things/v1/tagged'].get
  expect(tagged.headers.etag).toBe('"a"')
  expect(unlistedHeaders({ ...tagged, status: 200 }, responses)).toEqual([])
  expect(responses['200'].headers.ETag).toEqual({
    description: 'A tag',
    schema: { type: 'string' },
  })
  expect(refused.headers.allow).toBe('GET, HEAD')
  expect(unlistedHeaders({ ...refused, status: 405 }, responses)).toEqual([])
})

test('sends Retry-After with each temporary refusal', async () => {
  const { api } = await aThingsApi()
  const refusedBy = (kind: string) =>
    api.inject({ url: `/things/v1/things/${kind}`, headers: authorised })

  const answers = await Promise.all([refusedBy('unavailable'), refusedBy('too-many-requests')])

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 429])
  for (const { headers } of answers) expect(headers['retry-after']).toMatch(/^[2-5]$/)
})

test('serves requests of a foreign server', async () => {
  const { api } = await aThingsApi()
  await api.ready()
  const gateway = createServer((request, response) => api.routing(request, response))
  onTestFinished(() => void gateway.close())
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const { port } = gateway.address() as { port: number }

  const body = JSON.stringify({ name: 'é'.repeat(100), size: 1 })
  const answer = await fetch(`http://127.0.0.1:${port}/things/v1/things`, {
    method: 'POST',
    headers: { ...authorised, 'content-type': 'application/json; charset=utf-8' },
    body,
  })

  expect(await answer.json()).toEqual({ id: 'é'.repeat(100), size: 1 })
})

test('does not report a fault when a caller leaves in the middle of a body', async () => {
  const { api, lines } = await aThingsApi()
  const address = new URL(await api.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(address.port), address.hostname)
  await once(socket, 'connect')

  socket.write(
    'POST /things/v1/things HTTP/1.1\r\nhost: x\r\nx-api-key: right\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"na',
  )
  await expect.poll(async () => connectionCount(api)).toBe(1)
  socket.destroy()

  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('request.aborted')
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
})

function connectionCount(api: Api): Promise<number> {
  return new Promise((resolve, reject) =>
    api.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

test('serves its OpenAPI document only once to a client that caches it', async () => {
  const { api } = await aThingsApi()
  const ask = (tag?: string) =>
    api.inject({
      url: '/things/v1/openapi.json',
      headers: tag === undefined ? {} : { 'if-none-match': tag },
    })

  const first = await ask()
  const etag = String(first.headers.etag)

  expect(first.headers['content-type']).toMatch(/^application\/json/)
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { statusCode, body, headers } = await ask(known)
    expect([statusCode, body, headers.etag]).toEqual([304, '', etag])
  }
  expect((await ask('"other"')).statusCode).toBe(200)
})
