import type { UsageDecision } from '@despatch/domain/access/usage'
import { Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { aSmallApi } from '../test/a-small-api.ts'
import { registerHealth } from './health.ts'
import type { LimitUsage } from './usage-limit.ts'

const caller = { consumerId: 'c1', apiKeyHash: Buffer.alloc(32), roles: ['consumer'] as const }
const windows = [
  { name: 'second', requests: 100, seconds: 1 },
  { name: 'burst', requests: 200, seconds: 60 },
]
const admitted: UsageDecision = { windows, left: [{ name: 'second', requests: 57, seconds: 1 }] }
const refused: UsageDecision = {
  windows,
  left: [{ name: 'second', requests: 0, seconds: 1 }],
  refusal: {
    reason: 'rate',
    problem: new Problem('too-many-requests', 'No more'),
    retryAfterSeconds: 1,
  },
}

async function aLimitedApi(limit: LimitUsage) {
  const { api, lines, metrics } = await aSmallApi({
    authenticate: async (headers) => {
      if (headers['x-api-key'] === 'right') return caller
      throw new Problem('not-authenticated', 'Say who you are')
    },
    limit,
  })
  registerHealth(api, { ready: async () => [], metrics })
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    schema: { body: z.object({ name: z.string() }) },
    handler: async (_request, reply) => reply.code(202).send({ id: 't1' }),
  })
  api.route({ method: 'GET', url: '/things/v1/things', handler: async () => ({ id: 't1' }) })
  api.route({
    method: 'GET',
    url: '/things/v1/open',
    config: { open: true },
    handler: async () => ({ open: true }),
  })
  return { api, lines }
}

const headers = { 'x-api-key': 'right' }

test.each<[string, LimitUsage]>([
  ['at once', () => admitted],
  ['after a while', async () => admitted],
])('sends the limits with an answer, decided %s', async (_, limit) => {
  const { api } = await aLimitedApi(limit)

  const answer = await api.inject({ url: '/things/v1/things', headers })

  expect(answer.json()).toEqual({ id: 't1' })
  expect(answer.headers).toMatchObject({
    'ratelimit-policy': '"second";q=100;w=1, "burst";q=200;w=60',
    ratelimit: '"second";r=57;t=1',
  })
  expect(answer.headers['retry-after']).toBeUndefined()
})

test.each<[string, LimitUsage]>([
  ['at once', () => refused],
  ['after a while', async () => refused],
])(
  'refuses in the error format of the API before it reads the body, decided %s',
  async (_, limit) => {
    const { api, lines } = await aLimitedApi(limit)

    const answer = await api.inject({
      method: 'POST',
      url: '/things/v1/things',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"not JSON',
    })

    expect(answer.statusCode).toBe(429)
    expect(answer.json()).toEqual({ kind: 'too-many-requests', detail: 'No more' })
    expect(answer.headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"second";r=0;t=1',
      'ratelimit-policy': '"second";q=100;w=1, "burst";q=200;w=60',
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      status: 429,
      problem: 'too-many-requests',
      limit: 'rate',
      consumerId: 'c1',
    })
  },
)

test('asks the limiter once for each request, by the caller, or on open routes by the address', async () => {
  const asked: unknown[] = []
  const { api } = await aLimitedApi(({ caller, ip }) => {
    asked.push(caller?.consumerId ?? ip)
    return undefined
  })

  await api.inject({ url: '/things/v1/things', headers })
  await api.inject({ method: 'HEAD', url: '/things/v1/things', headers })
  const open = await api.inject({ url: '/things/v1/open', remoteAddress: '192.0.2.1' })
  await api.inject({ url: '/things/v1/things' })
  await api.inject({ url: '/health/live' })
  await api.inject({ url: '/things/v1/nothing' })

  expect(asked).toEqual(['c1', 'c1', '192.0.2.1'])
  expect(open.headers.ratelimit).toBeUndefined()
})

test('documents the rate limit headers of each operation that can answer 429', async () => {
  const { api } = await aLimitedApi(() => undefined)
  const tooMany = z.object({}).describe('Too many')
  api.route({
    method: 'GET',
    url: '/things/v1/limited',
    schema: { response: { 200: z.object({}).describe('Found'), 429: tooMany } },
    handler: async () => ({}),
  })

  const document = (await api.inject({ url: '/things/v1/openapi.json' })).json()

  const { responses } = document.paths['/things/v1/limited'].get
  expect(Object.keys(responses[200].headers)).toEqual([
    'X-Correlation-ID',
    'RateLimit-Policy',
    'RateLimit',
  ])
  expect(Object.keys(responses[429].headers)).toEqual([
    'X-Correlation-ID',
    'RateLimit-Policy',
    'RateLimit',
    'Retry-After',
  ])
  expect(document.components.headers.RetryAfter.schema).toEqual({ type: 'integer', minimum: 1 })
  const { headers } = document.paths['/things/v1/open'].get.responses['200']
  expect(Object.keys(headers)).toEqual(['X-Correlation-ID'])
})

test('answers a failure of the limiter as a fault', async () => {
  const { api } = await aLimitedApi(() => Promise.reject(new Error('the plans cannot be read')))

  const answer = await api.inject({ url: '/things/v1/things', headers })

  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ errorId: expect.any(String) })
})
