import type { Logger } from '@despatch/telemetry/logger'
import { Counter, Histogram, type Registry } from '@despatch/telemetry/metrics'
import type { FastifyReply, FastifyRequest } from 'fastify'

type LogFields = Readonly<Record<string, string | number | boolean | readonly string[]>>

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields | null
  }
}

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Adds ids or an outcome to the log line of the request. Never add names, addresses or content. */
export function addToLogLine(request: FastifyRequest, fields: LogFields): void {
  request.logFields = request.logFields ? { ...request.logFields, ...fields } : fields
}

/**
 * Returns a function to call when a request has been answered. It writes one log line and one observation, both with
 * the route's pattern. It never logs the address itself, because callers put data into it. The log line is a warning if
 * a dependency failed the request.
 */
export function createRequestRecorder(metrics: Registry) {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: durationBucketsSeconds,
    registers: [metrics],
  })
  const observers = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>()

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { method, caller, span } = request
    const route = request.routeOptions.url ?? 'none'
    const status = reply.statusCode
    const durationMs = reply.elapsedTime

    const key = `${method} ${route} ${status}`
    let observer = observers.get(key)
    if (!observer) {
      observer = durations.labels(method, route, String(status))
      observers.set(key, observer)
    }
    observer.observe(durationMs / 1000)

    const level = request.logFields?.dependency === undefined ? 'info' : 'warn'
    request.log[level](
      {
        method,
        route,
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(caller && { consumerId: caller.consumerId }),
        // The response is sent on the connection, outside the span.
        ...(span && { traceId: span.traceId }),
        ...request.logFields,
      },
      'request.served',
    )
  }
}

/** Logs a request whose caller disconnected before the response. The operation may still have completed. */
export function recordAbort(request: FastifyRequest): void {
  const { method, caller, span } = request
  request.log.info(
    {
      method,
      route: request.routeOptions.url ?? 'none',
      ...(caller && { consumerId: caller.consumerId }),
      ...(span && { traceId: span.traceId }),
      ...request.logFields,
    },
    'request.aborted',
  )
}

export type RecordRefusal = (problem: string, correlationId: string) => void

/** Returns a function that writes one log line and counts one for a request that is refused before it has a route. */
export function createRefusalRecorder(log: Logger, metrics: Registry): RecordRefusal {
  const refused = new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests refused before they had a route, by problem: they are not valid HTTP, too large or too slow',
    labelNames: ['problem'],
    registers: [metrics],
  })
  return (problem, correlationId) => {
    refused.inc({ problem })
    log.info({ problem, correlationId }, 'request.refused')
  }
}
