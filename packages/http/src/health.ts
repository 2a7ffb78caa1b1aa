import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { metricsMediaType, processMetrics, type Registry } from '@despatch/telemetry/metrics'
import { listStuckWork } from '@despatch/telemetry/work-under-way'
import pTimeout from 'p-timeout'
import type { Api } from './api.ts'
import { requireToken } from './require-token.ts'
import { shareRecent } from './share-recent.ts'

/** The state of one dependency of a service. `reason` says in a few words why it is not ok. */
export type HealthCheck = { name: string; ok: boolean; reason?: string }

export type HealthOptions = {
  ready(): Promise<HealthCheck[]>
  /** Checks for states that only a restart resolves, besides stuck work. No answer within 3 s counts as alive. */
  alive?: (() => Promise<HealthCheck[]>) | undefined
  metrics: Registry
  /** False: the public sees only the status, without the names and reasons of the checks. */
  showsChecks?: boolean
}

const readyDeadlineMs = 3_000
/** The dependencies are checked at most this often, however many callers ask for the readiness. */
const readyAgeMsMax = 1_000
/** A service that becomes ready says so soon. */
const notReadyAgeMsMax = 200
/** Collecting reads the database, and may take tenths of a second. */
const metricsAgeMsMax = 1_000
const aboutToStop: HealthCheck = { name: 'stopping', ok: false, reason: 'it is shutting down' }

/**
 * Registers three routes outside the API's prefix, so a gateway does not expose them. GET /health/live returns 503
 * while the process makes no progress, so that its supervisor restarts it. GET /health/ready returns 503 while a
 * dependency is not ok. GET /metrics returns the metrics of the service and of the process, at most a second old.
 */
export function registerHealth(
  api: Api,
  { ready, alive, metrics, showsChecks = true }: HealthOptions,
): void {
  const route = { method: 'GET', logLevel: 'warn', config: { open: true } } as const
  const schema = { hide: true }
  const readReadiness = shareReadiness(ready)
  const readMetrics = shareRecent(async () => {
    const texts = await Promise.all([metrics.metrics(), processMetrics().metrics()])
    return texts.join('')
  }, metricsAgeMsMax)
  const shown = (checks: readonly HealthCheck[] | undefined) => showsChecks && checks && { checks }

  api.route({
    ...route,
    schema,
    url: '/health/live',
    handler: async (_request, reply) => {
      const { isLive, status, checks } = await readLiveness(alive)
      return reply.code(isLive ? 200 : 503).send({ status, ...shown(checks) })
    },
  })

  api.route({
    ...route,
    schema,
    url: '/health/ready',
    handler: async (_request, reply) => {
      const checks = api.stopping.hasBegun ? [aboutToStop] : await readReadiness()
      const isReady = areOk(checks)
      return reply
        .code(isReady ? 200 : 503)
        .send({ status: isReady ? 'ready' : 'not-ready', ...shown(checks) })
    },
  })

  api.route({
    ...route,
    schema,
    url: '/metrics',
    ...(api.metricsToken !== null && { onRequest: requireToken(api.metricsToken) }),
    handler: async (_request, reply) => reply.type(metricsMediaType).send(await readMetrics()),
  })
}

type Liveness = { isLive: boolean; status: 'live' | 'stuck'; checks?: HealthCheck[] }

/**
 * Returns whether this process makes progress. An unavailable dependency is no reason to restart: a loop whose passes
 * fail is alive, and so is a service whose `alive` does not answer within 3 s.
 */
export async function readLiveness(
  alive = async (): Promise<HealthCheck[]> => [],
): Promise<Liveness> {
  const stuck = listStuckWork().map(({ name, seconds }) => ({
    name,
    ok: false,
    reason: `no progress for ${seconds} s`,
  }))
  const failed = (await answerOr(alive, () => [])).filter(({ ok }) => !ok)
  const checks = [...stuck, ...failed]
  return checks.length === 0
    ? { isLive: true, status: 'live' }
    : { isLive: false, status: 'stuck', checks }
}

/**
 * Runs one check. A failed check reports the code of its error, or only "failed", because error messages may contain
 * addresses with credentials.
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

/** Runs the checks of a service. If they do not complete within 3 s, returns one failed check that says so. */
export function readChecks(ready: () => Promise<HealthCheck[]>): Promise<HealthCheck[]> {
  return answerOr(ready, (reason) => [{ name: 'checks', ok: false, reason }])
}

function areOk(checks: readonly HealthCheck[]): boolean {
  return checks.every(({ ok }) => ok)
}

/** Callers share a read that is under way, and a recent one. */
export function shareReadiness(ready: () => Promise<HealthCheck[]>): () => Promise<HealthCheck[]> {
  let recent: { checks: Promise<HealthCheck[]>; until: number } | undefined
  return () => {
    if (recent && performance.now() <= recent.until) return recent.checks
    const current = { checks: readChecks(ready), until: Number.POSITIVE_INFINITY }
    recent = current
    void current.checks.then((checks) => {
      current.until = performance.now() + (areOk(checks) ? readyAgeMsMax : notReadyAgeMsMax)
    })
    return current.checks
  }
}

/** Returns the answer, or another one with the reason if there is none within 3 s or the question fails. */
async function answerOr(
  ask: () => Promise<HealthCheck[]>,
  otherwise: (reason: string) => HealthCheck[],
): Promise<HealthCheck[]> {
  const fallback = () => otherwise(`no response within ${readyDeadlineMs} ms`)
  try {
    return await pTimeout(ask(), { milliseconds: readyDeadlineMs, fallback })
  } catch {
    return otherwise('failed')
  }
}
