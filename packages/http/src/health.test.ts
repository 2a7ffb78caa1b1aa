import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { beginWork } from '@despatch/telemetry/work-under-way'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createApi } from './api.ts'
import { checkHealth, type HealthCheck, readChecks, registerHealth } from './health.ts'

async function aHealthApi(
  ready: () => Promise<HealthCheck[]>,
  alive?: () => Promise<HealthCheck[]>,
) {
  const metrics = createMetrics('things')
  const api = await createApi({
    name: 'things',
    prefix: '/things',
    log: createLogger({ service: 'things', level: 'silent' }),
    metrics,
    bodyBytesMax: 1_000,
    openapi: { title: 'Things', description: '', version: '1.0.0' },
    authenticate: async () => Promise.reject(new Error('health asks nobody')),
    renderProblem: () => ({ status: 400, body: {} }),
    renderFault: () => ({ status: 500, body: {} }),
  })
  registerHealth(api, { ready, alive, metrics })
  onTestFinished(() => api.close())
  return api
}

test('is live without looking at what it needs', async () => {
  const api = await aHealthApi(() => Promise.reject(new Error('never asked')))

  const answer = await api.inject({ url: '/health/live' })

  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'live' }])
})

test('is not live while some work gets no further, and names it', async () => {
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

test('is not live while the service says that only a restart helps', async () => {
  const stuck = { name: 'worker validate', ok: false, reason: 'stands still' }
  const api = await aHealthApi(
    async () => [],
    async () => [{ name: 'worker quarantine', ok: true }, stuck],
  )

  const answer = await api.inject({ url: '/health/live' })

  expect([answer.statusCode, answer.json()]).toEqual([503, { status: 'stuck', checks: [stuck] }])
})

test('is live if the service does not know', async () => {
  const api = await aHealthApi(
    async () => [],
    () => Promise.reject(new Error('the database is away')),
  )

  expect((await api.inject({ url: '/health/live' })).statusCode).toBe(200)
})

test('is ready when everything it needs answers', async () => {
  const api = await aHealthApi(async () => [await checkHealth('database', async () => 1)])

  const answer = await api.inject({ url: '/health/ready' })

  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { status: 'ready', checks: [{ name: 'database', ok: true }] },
  ])
})

test('is not ready when one thing fails, and names it without its message', async () => {
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

test('gives its metrics, and stays out of its own document', async () => {
  const api = await aHealthApi(async () => [])

  const answer = await api.inject({ url: '/metrics' })
  const document = (await api.inject({ url: '/things/v1/openapi.json' })).json()

  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(answer.body).toContain('# TYPE http_request_duration_seconds histogram')
  expect(answer.body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(document.paths).toEqual({})
})

test('checks that do not end in time are reported as one failed check', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  const reading = readChecks(() => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(3_000)

  expect(await reading).toEqual([
    { name: 'checks', ok: false, reason: 'no response within 3000 ms' },
  ])
})
