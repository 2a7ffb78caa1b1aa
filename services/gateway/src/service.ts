import { Problem } from '@despatch/domain/problem'
import { refuseUnforwardablePath } from '@despatch/http/forwardable-path'
import type { HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { retryAfterSeconds } from '@despatch/http/unavailable-answer'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import proxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy'
import { serveEntrance } from './apis/entrance.ts'
import { rendererAt } from './apis/renderer-at.ts'
import { type GatewayConfig, type Route, routesOf } from './config.ts'

const name = 'gateway'
const serviceTimeoutMs = 60_000
const healthTimeoutMs = 2_000

/**
 * Creates the gateway: one base address for services that run as separate processes. It forwards each request to the
 * service of its prefix, and serves the reference of their APIs.
 */
export async function createGateway(
  config: GatewayConfig,
  { log }: { log: Logger },
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const routes = routesOf(config)
  const ready = () => Promise.all(routes.map(checkService))
  const api = parts.adopt(
    await createHealthApi({
      ...listenOptions(config),
      name,
      log,
      metrics: createMetrics(name),
      ready,
      rendererAt,
      showsChecks: false,
    }),
    close,
  )
  serveEntrance(api, {
    prefixes: routes.map(({ prefix }) => prefix),
    guidesUrl: config.DESPATCH_GUIDES_URL,
  })
  for (const route of routes) {
    await api.register(async (scope) => {
      // Bodies are forwarded unchanged; the gateway parses nothing.
      scope.removeAllContentTypeParsers()
      await scope.register(proxy, proxyOptions(route, log))
    })
  }
  const opened = parts.move()
  return { name, api, ready, close: () => opened.disposeAsync() }
}

function proxyOptions({ prefix, target }: Route, log: Logger): FastifyHttpProxyOptions {
  return {
    upstream: target,
    prefix,
    rewritePrefix: prefix,
    config: { forwardsBodies: true },
    preHandler: refuseUnforwardablePath,
    http: { requestOptions: { timeout: serviceTimeoutMs } },
    replyOptions: {
      rewriteRequestHeaders: ({ ip }, headers) => ({
        ...headers,
        // The services limit callers by address. The gateway appends the address that it sees to what the caller
        // claims.
        'x-forwarded-for': [headers['x-forwarded-for'], ip].filter(Boolean).join(', '),
      }),
      onError: (reply, { error }) => {
        log.error({ err: error, prefix }, 'gateway.service-silent')
        const { status, body } = rendererAt(prefix).renderProblem(serviceSilent)!
        void reply.code(status).header('retry-after', retryAfterSeconds()).send(body)
      },
    },
  }
}

const serviceSilent = new Problem('unavailable', 'The service does not respond')

/** Returns whether the service behind the prefix reports that it is ready. */
async function checkService({ prefix, target }: Route): Promise<HealthCheck> {
  const name = prefix.slice(1)
  try {
    const signal = AbortSignal.timeout(healthTimeoutMs)
    const { ok, status } = await fetch(`${target}/health/ready`, { signal })
    return ok ? { name, ok } : { name, ok, reason: `it returns ${status}` }
  } catch {
    return { name, ok: false, reason: 'it does not respond' }
  }
}
