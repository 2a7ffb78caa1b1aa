import { createMetrics, Gauge, type Registry } from '@despatch/telemetry/metrics'
import { beginWork } from '@despatch/telemetry/work-under-way'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aSmallApi } from '../test/a-small-api.ts'
import { checkHealth, type HealthCheck, readChecks, registerHealth } from './health.ts'

async function aHealthApi(
  ready: () => Promise<HealthCheck[]>,
  alive?: () => Promise<HealthCheck[]>,
  {
    metricsToken,
    showsChecks = true,
    metrics = createMetrics('things'),
  }: { metricsToken?: string; showsChecks?: boolean; metrics?: Registry } = {},
) {
  const { api } = await aSmallApi({
    metrics,
    authenticate: async () => Promise.reject(new Error('health asks nobody')),
    metricsToken,
  })
  registerHealth(api, { ready, alive, metrics, showsChecks })
  return api
}

test('is live without checking its dependencies', async () => {
  const api = await aHealthApi(() => Promise.reject(new Error('never asked')))

  const answer = await api.inject({ url: '/health/live' })

  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'live' }])
})

test('is not live while work is stuck, and names the work', async () => {
  const api = await aHealthApi(async () => [])
  const work = beginWork('relay', 1_000, () => performance.now() - 5_000)

  const answer = await api.inject({ url: '/health/live' })
  work.end()

  expect([answer.statusCode, answer.json()]).toEqual([
    503,
    { status: 'stuck', checks: [{ name: 'relay', ok: false, reason: 'no progress for 5 s' }] },
  ])
  expect((await api.inject({ url: '/health/live' })).statusCode).toBe(200)
})

test('is not live while the service requires a restart', async () => {
  const stuck = { name: 'worker validate', ok: false, reason: 'stands still' }
  const api = await aHealthApi(
    async () => [],
    async () => [{ name: 'worker quarantine', ok: true }, stuck],
  )

  const answer = await api.inject({ url: '/health/live' })

  expect([answer.statusCode, answer.json()]).toEqual([503, { status: 'stuck', checks: [stuck] }])
})

test('is live if the check of the service fails', async () => {
  const api = await aHealthApi(
    async () => [],
    () => Promise.reject(new Error('the database is away')),
  )

  expect((await api.inject({ url: '/health/live' })).statusCode).toBe(200)
})

test('is ready when all dependencies answer', async () => {
  const api = await aHealthApi(async () => [await checkHealth('database', async () => 1)])

  const answer = await api.inject({ url: '/health/ready' })

  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { status: 'ready', checks: [{ name: 'database', ok: true }] },
  ])
})

test('is not ready when one dependency fails, and names it without its message', async () => {
  const refused = Object.assign(new Error('postgres://user:SECRET@db'), { code: 'ECONNREFUSED' })
  const api = await aHealthApi(async () => [
    await checkHealth('database', () => Promise.reject(refused)),
    await checkHealth('queue', () => Promise.reject(new Error('SECRET'))),
    { name: 'files', ok: true },
  ])

  const answer = await api.inject({ url: '/health/ready' })

  expect([answer.statusCode, answer.json()]).toEqual([
    503,
    {
      status: 'not-ready',
      checks: [
        { name: 'database', ok: false, reason: 'ECONNREFUSED' },
        { name: 'queue', ok: false, reason: 'failed' },
        { name: 'files', ok: true },
      ],
    },
  ])
})

test('serves its metrics, and is not in the OpenAPI document', async () => {
  const api = await aHealthApi(async () => [])

  const answer = await api.inject({ url: '/metrics' })
  const document = (await api.inject({ url: '/things/v1/openapi.json' })).json()

  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(answer.body).toContain('# TYPE http_request_duration_seconds histogram')
  expect(answer.body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(document.paths).toEqual({})
})

test('reports checks that exceed their time as one failed check', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  const reading = readChecks(() => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(3_000)

  expect(await reading).toEqual([
    { name: 'checks', ok: false, reason: 'no response within 3000 ms' },
  ])
})

test('checks the dependencies once a second, with any number of callers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const state = { name: 'database', ok: true }
  const api = await aHealthApi(async () => {
    asked += 1
    return [{ ...state }]
  })
  const ask = async () => (await api.inject({ url: '/health/ready' })).statusCode
  const askAt = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    return [await ask(), asked]
  }

  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200])
  state.ok = false
  expect(await askAt(1_000)).toEqual([200, 1])
  expect(await askAt(1)).toEqual([503, 2])
  state.ok = true
  expect(await askAt(200)).toEqual([503, 2])
  expect(await askAt(1)).toEqual([200, 3])
})

test('hides the checks from the public, and shows whether the service is ready and live', async () => {
  const down = { name: 'database', ok: false, reason: 'ECONNREFUSED' }
  const checks = async () => [down]
  const api = await aHealthApi(checks, checks, { showsChecks: false })

  const [ready, live] = await Promise.all(
    ['/health/ready', '/health/live'].map((url) => api.inject({ url })),
  )

  expect([ready!.statusCode, ready!.json()]).toEqual([503, { status: 'not-ready' }])
  expect([live!.statusCode, live!.json()]).toEqual([503, { status: 'stuck' }])
})

test.each([
  ['none', {}, 401],
  ['a wrong one', { authorization: 'Bearer another-token-of-16' }, 401],
  ['the right one', { authorization: 'Bearer a-token-of-16-ch' }, 200],
])('checks the token of a request for metrics: %s', async (_name, headers, status) => {
  const api = await aHealthApi(async () => [], undefined, { metricsToken: 'a-token-of-16-ch' })

  expect((await api.inject({ url: '/metrics', headers })).statusCode).toBe(status)
  expect((await api.inject({ url: '/health/ready' })).statusCode).toBe(200)
})

test('collects metrics once for all requests within a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const metrics = createMetrics('things')
  let collected = 0
  new Gauge({
    name: 'things',
    help: 'Things',
    registers: [metrics],
    collect() {
      collected += 1
      this.set(collected)
    },
  })
  const api = await aHealthApi(async () => [], undefined, { metrics })
  const ask = () => api.inject({ url: '/metrics' })

  await Promise.all([ask(), ask()])
  await ask()
  vi.advanceTimersByTime(1_001)
  const later = await ask()

  expect(later.body).toContain('things{service="things"} 2')
})
