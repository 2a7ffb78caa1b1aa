import { parseTraceparent, renderTraceparent } from '@despatch/telemetry/traceparent'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; null if it is not traced. */
    span: TraceSpan | null
  }
}

const serverFault = 500

/**
 * Creates a span for each request to a route below the prefix. Health and metrics are requested too often to be traced.
 * The span continues the trace of the caller's `traceparent`. Call it before registering hooks that must run within the
 * span.
 */
export function traceRequests(api: FastifyInstance, prefix: string, tracing: Tracing): void {
  api.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request
    const route = request.routeOptions.url
    if (!route?.startsWith(`${prefix}/`)) return done()
    request.span = tracing.startSpan(`${method} ${route}`, {
      kind: 'server',
      parent: parentOf(headers),
      facts: { 'http.request.method': method, 'http.route': route },
    })
    request.span.run(done)
  })
  // The connection delivers the body outside the span, so the span is entered again here.
  api.addHook('preValidation', ({ span }, _reply, done) => (span ? span.run(done) : done()))
  api.addHook('onResponse', (request, reply, done) => {
    endSpan(request, reply)
    done()
  })
  api.addHook('onRequestAbort', ({ span }, done) => {
    span?.end('aborted')
    done()
  })
}

/**
 * Returns the traceparent for work that the request leaves behind: that of its span, or that of the caller if nothing
 * is traced here. Null if nobody traces the request.
 */
export function traceContextOf({ span, headers }: FastifyRequest): string | null {
  return span?.traceparent ?? parentOf(headers)
}

function parentOf({ traceparent }: FastifyRequest['headers']): string | null {
  const parsed = parseTraceparent(traceparent)
  return parsed ? renderTraceparent(parsed) : null
}

function endSpan({ span, caller }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return
  span.note({
    'http.response.status_code': statusCode,
    ...(caller && { 'despatch.consumer.id': caller.consumerId }),
  })
  span.end(statusCode >= serverFault ? String(statusCode) : undefined)
}
