import { createLogger } from '@despatch/telemetry/logger'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { addToLogLine } from './request-log.ts'
import { watchProxies } from './watch-proxies.ts'

const hourMs = 60 * 60 * 1000

async function anApi(trustedProxies: number) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const clock = { nowMs: 0 }
  const api = Fastify({
    loggerInstance: createLogger({
      service: 'things',
      level: 'warn',
      destination,
    }) as FastifyBaseLogger,
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
  })
  onTestFinished(() => api.close())
  api.decorateRequest('logFields', null)
  watchProxies(api, { prefix: '/things', trustedProxies, nowMs: () => clock.nowMs })
  for (const url of ['/things/v1', '/health']) {
    api.get<{ Querystring: { consumer?: string; status?: number } }>(
      url,
      async (request, reply) => {
        const { consumer, status = 200 } = request.query
        if (consumer) addToLogLine(request, { consumerId: consumer })
        return reply.code(Number(status)).send('')
      },
    )
  }
  const ask = (query: string, forwarded?: string, url = '/things/v1') =>
    api.inject({
      url: `${url}?${query}`,
      remoteAddress: '10.0.0.1',
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    })
  const faults = () => lines.map((line) => JSON.parse(line).fault)
  return { ask, faults, clock }
}

test('warns once an hour about a proxy in front when no proxy is trusted', async () => {
  const { ask, faults, clock } = await anApi(0)

  await ask('consumer=a', '198.51.100.1')
  clock.nowMs = hourMs - 1
  await ask('consumer=a', '198.51.100.1')
  expect(faults()).toEqual(['too-few'])

  clock.nowMs = hourMs
  await ask('consumer=a', '198.51.100.1')
  expect(faults()).toEqual(['too-few', 'too-few'])
})

test.for<[what: string, query: string, forwarded: string | undefined, url?: string]>([
  ['has no X-Forwarded-For', 'consumer=a', undefined],
  ['is of an unknown caller', '', '198.51.100.1'],
  ['is refused', 'consumer=a&status=401', '198.51.100.1'],
  ['is not of the API', 'consumer=a', '198.51.100.1', '/health'],
])('ignores a request that %s', async ([, query, forwarded, url]) => {
  const { ask, faults } = await anApi(0)

  await ask(query, forwarded, url)

  expect(faults()).toEqual([])
})

test('warns when three consumers share the private address of a second proxy', async () => {
  const { ask, faults, clock } = await anApi(1)
  for (const consumer of ['a', 'b', 'a', 'b']) {
    await ask(`consumer=${consumer}`, '198.51.100.1, 10.0.0.2')
  }
  await ask('consumer=c', '198.51.100.1, 10.0.0.3')
  expect(faults()).toEqual([])

  clock.nowMs = hourMs
  await ask('consumer=c', '198.51.100.1, 10.0.0.2')
  expect(faults()).toEqual([])
  for (const consumer of ['a', 'b']) await ask(`consumer=${consumer}`, '198.51.100.1, 10.0.0.2')

  expect(faults()).toEqual(['too-few'])
})

test('warns when more proxies are trusted than are in front', async () => {
  const { ask, faults } = await anApi(2)

  await ask('consumer=a', '198.51.100.1')

  expect(faults()).toEqual(['too-many'])
})
