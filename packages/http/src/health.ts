import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { metricsMediaType, processMetrics, type Registry } from '@despatch/telemetry/metrics'
import { listStuckWork } from '@despatch/telemetry/work-under-way'
import type { Api } from './api.ts'

/** One thing that a service needs. `reason` says in a few words why it is not ok. */
export type HealthCheck = { name: string; ok: boolean; reason?: string }

export type HealthOptions = {
  ready(): Promise<HealthCheck[]>
  /** What only a restart would put right, besides work that is stuck. Without an answer in time nothing is. */
  alive?: (() => Promise<HealthCheck[]>) | undefined
  metrics: Registry
}

const readyDeadlineMs = 3_000
const aboutToStop: HealthCheck = { name: 'stopping', ok: false, reason: 'it is about to stop' }

/**
 * Adds GET /health/live (503 while the process does not get on with its work, so that its supervisor restarts it), GET /health/ready (503 while something it needs does not) and
 * GET /metrics (the service's and the process's), outside the API's prefix: a gateway does not pass them on.
 */
export function registerHealth(api: Api, { ready, alive, metrics }: HealthOptions): void {
  const route = { method: 'GET', logLevel: 'warn', config: { open: true } } as const
  const schema = { hide: true }

  api.route({
    ...route,
    schema,
    url: '/health/live',
    handler: async (_request, reply) => {
      const { isLive, ...body } = await readLiveness(alive)
      return reply.code(isLive ? 200 : 503).send(body)
    },
  })

  api.route({
    ...route,
    schema,
    url: '/health/ready',
    handler: async (_request, reply) => {
      const checks = api.stopping.hasBegun ? [aboutToStop] : await readChecks(ready)
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

export type Liveness = { isLive: boolean; status: 'live' | 'stuck'; checks?: HealthCheck[] }

/**
 * Says whether this process gets on with its work. A dependency that is away is no reason to restart: loops whose passes fail
 * are alive, and `alive` counts as well when it does not answer.
 */
export async function readLiveness(
  alive = async (): Promise<HealthCheck[]> => [],
): Promise<Liveness> {
  const stuck = listStuckWork().map(({ name, seconds }) => ({
    name,
    ok: false,
    reason: `no progress for ${seconds} s`,
  }))
  const failed = (await inTime(alive, () => [])).filter(({ ok }) => !ok)
  const checks = [...stuck, ...failed]
  return checks.length === 0
    ? { isLive: true, status: 'live' }
    : { isLive: false, status: 'stuck', checks }
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
export function readChecks(ready: () => Promise<HealthCheck[]>): Promise<HealthCheck[]> {
  return inTime(ready, (reason) => [{ name: 'checks', ok: false, reason }])
}

async function inTime(
  ask: () => Promise<HealthCheck[]>,
  otherwise: (reason: string) => HealthCheck[],
): Promise<HealthCheck[]> {
  const { promise: deadline, resolve } = Promise.withResolvers<HealthCheck[]>()
  const timer = setTimeout(
    () => resolve(otherwise(`no answer in ${readyDeadlineMs} ms`)),
    readyDeadlineMs,
  )
  try {
    return await Promise.race([ask(), deadline])
  } catch {
    return otherwise('failed')
  } finally {
    clearTimeout(timer)
  }
}
