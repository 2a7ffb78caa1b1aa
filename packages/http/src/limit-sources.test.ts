import { Problem } from '@despatch/domain/problem'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, onTestFinished, test } from 'vitest'
import { aSmallApi } from '../test/a-small-api.ts'
import { registerHealth } from './health.ts'
import { createHealthApi } from './health-api.ts'
import { createSourceLimit } from './limit-sources.ts'

const atOnce = 100

async function anApi() {
  const { api, metrics } = await aSmallApi({
    sourceRequestsPerSecond: 1,
    authenticate: () => {
      throw new Problem('not-authenticated', 'Say who you are')
    },
  })
  registerHealth(api, { ready: async () => [], metrics })
  const handler = async () => ({})
  api.route({ method: 'GET', url: '/things/v1/open', config: { open: true }, handler })
  api.route({ method: 'POST', url: '/elsewhere', config: { open: true }, handler })
  api.route({ method: 'GET', url: '/things/v1/closed', handler })
  return api
}

test.each([
  ['GET', '/things/v1/open', 200],
  ['HEAD', '/things/v1/open', 200],
  ['POST', '/elsewhere', 200],
  ['GET', '/things/v1/openapi.json', 200],
  ['GET', '/metrics', 200],
  ['GET', '/unknown', 404],
] as const)('%s %s has a rate limit for each address', async (method, url, status) => {
  const api = await anApi()
  const ask = (remoteAddress: string) => api.inject({ method, url, remoteAddress })
  const first = await Promise.all(Array.from({ length: atOnce }, () => ask('198.51.100.1')))

  const refused = await ask('198.51.100.1')

  expect(new Set(first.map(({ statusCode }) => statusCode))).toEqual(new Set([status]))
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
  expect((await ask('198.51.100.2')).statusCode).toBe(status)
})

test('a route that requires credentials has no rate limit for addresses', async () => {
  const api = await anApi()
  const answers = await Promise.all(
    Array.from({ length: atOnce + 1 }, () => api.inject({ url: '/things/v1/closed' })),
  )

  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]))
})

test('a service with only health and metrics limits metrics with 429, but never probes', async () => {
  const ready = async () => []
  const log = createLogger({ service: 'works', level: 'silent' })
  const options = { name: 'works', log, metrics: createMetrics('works'), ready }
  const api = await createHealthApi({ ...options, sourceRequestsPerSecond: 1 })
  onTestFinished(() => api.close())

  const answers = await Promise.all(
    Array.from({ length: atOnce + 1 }, () => api.inject({ url: '/metrics' })),
  )
  const probes = await Promise.all(
    ['/health/live', '/health/ready'].map((url) => api.inject({ url })),
  )

  expect(answers.at(-1)?.statusCode).toBe(429)
  // whether the process is live depends on what else it runs
  expect(probes.map(({ statusCode }) => statusCode)).not.toContain(429)
})

test('an address may send at its rate, and ten times as much at once after a pause', () => {
  const clock = { nowMs: 0 }
  const take = createSourceLimit({ requestsPerSecond: 50, nowMs: () => clock.nowMs })
  const taken = () => Array.from({ length: 600 }, () => take('2001:db8::1')).filter(Boolean).length

  const atFirst = taken()
  clock.nowMs += 1_000
  const aSecondLater = taken()
  clock.nowMs += 60_000

  expect([atFirst, aSecondLater, taken()]).toEqual([500, 50, 500])
})

test('of too many addresses, the one that was seen least recently is forgotten', () => {
  const take = createSourceLimit({ requestsPerSecond: 1, nowMs: () => 0 })
  const takeFrom = (first: number, end: number) => {
    for (let number = first; number < end; number++) take(`10.0.${number >> 8}.${number & 255}`)
  }
  takeFrom(0, 1)
  for (let count = 0; count < atOnce; count++) take('198.51.100.1')
  takeFrom(1, 19_999)

  // one that is seen again is not the next to go
  expect(take('198.51.100.1')).toBe(false)
  takeFrom(19_999, 20_001)
  expect(take('198.51.100.1')).toBe(false)
  takeFrom(0, 20_000)
  expect(take('198.51.100.1')).toBe(true)
})

test('addresses of one IPv6 network share one limit', () => {
  const take = createSourceLimit({ requestsPerSecond: 1, nowMs: () => 0 })
  for (let host = 0; host < atOnce; host++) take(`2001:db8::${host.toString(16)}`)

  expect([take('2001:db8::ffff'), take('2001:db8:0:1::1')]).toEqual([false, true])
})
