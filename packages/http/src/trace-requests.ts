import { parseTraceparent, renderTraceparent } from '@despatch/telemetry/traceparent'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request. Null: it is not traced. */
    span: TraceSpan | null
  }
}

const serverFault = 500

/**
 * Makes a span of each request to the routes below the prefix: health and metrics are asked for too often. It continues
 * the trace of a `traceparent` that the caller sends. Call it before hooks are added that are to run within the span.
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
  // The body arrived on the connection, which no span is about.
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
 * The traceparent with which what the request leaves behind is to continue its trace: that of its span, or that of the
 * caller when nothing is traced here. Null: nobody traces it.
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
