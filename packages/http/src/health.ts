import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { metricsMediaType, processMetrics, type Registry } from '@despatch/telemetry/metrics'
import type { Api } from './api.ts'

/** One thing that a service needs. `reason` says in a few words why it is not ok. */
export type HealthCheck = { name: string; ok: boolean; reason?: string }

export type HealthOptions = { ready(): Promise<HealthCheck[]>; metrics: Registry }

const readyDeadlineMs = 3_000

/**
 * Adds GET /health/live (the process answers), GET /health/ready (503 while something it needs does not) and
 * GET /metrics (the service's and the process's), outside the API's prefix: a gateway does not pass them on.
 */
export function registerHealth(api: Api, { ready, metrics }: HealthOptions): void {
  const route = { method: 'GET', logLevel: 'warn', config: { open: true } } as const
  const schema = { hide: true }

  api.route({ ...route, schema, url: '/health/live', handler: async () => ({ status: 'live' }) })

  api.route({
    ...route,
    schema,
    url: '/health/ready',
    handler: async (_request, reply) => {
      const checks = await readChecks(ready)
      const isReady = checks.every(({ ok }) => ok)
      return reply
        .code(isReady ? 200 : 503)
        .send({ status: isReady ? 'ready' : 'not-ready', checks })
    },
  })

  api.route({
    ...route,
    schema,
    url: '/metrics',
    handler: async (_request, reply) => {
      const texts = await Promise.all([metrics.metrics(), processMetrics().metrics()])
      return reply.type(metricsMediaType).send(texts.join(''))
    },
  })
}

/**
 * Runs one check. A failing check says its error's code, or just that it failed: messages may carry addresses
 * with credentials in them.
 */
export async function checkHealth(
  name: string,
  check: () => Promise<unknown>,
): Promise<HealthCheck> {
  try {
    await check()
    return { name, ok: true }
  } catch (error) {
    const { code } = (error instanceof DependencyUnavailable ? error.cause : error) as {
      code?: unknown
    }
    return { name, ok: false, reason: typeof code === 'string' && code ? code : 'failed' }
  }
}

/** Asks for the checks of a service, which has 3 s to tell them: a check of its own says when it does not. */
export async function readChecks(ready: () => Promise<HealthCheck[]>): Promise<HealthCheck[]> {
  const { promise: deadline, resolve } = Promise.withResolvers<HealthCheck[]>()
  const timer = setTimeout(
    () => resolve([{ name: 'checks', ok: false, reason: `no answer in ${readyDeadlineMs} ms` }]),
    readyDeadlineMs,
  )
  try {
    return await Promise.race([ready(), deadline])
  } catch {
    return [{ name: 'checks', ok: false, reason: 'failed' }]
  } finally {
    clearTimeout(timer)
  }
}
