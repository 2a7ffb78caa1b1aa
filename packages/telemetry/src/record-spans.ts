import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { type Sampler, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import pTimeout from 'p-timeout'
import type { SpanFacts } from './span-facts.ts'
import { parseTraceparent, renderTraceparent } from './traceparent.ts'
import type { SpanOptions, TraceSpan, Tracing } from './tracing.ts'

export type SpanRecording = {
  service: string
  processor: SpanProcessor
  /** Default: a trace is recorded if its first service decided so, or if it begins here. */
  sampler?: Sampler
}

const closeMsMax = 3_000
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/**
 * Records the spans of one service and passes them to the processor. Each service of a process has its own recorder.
 */
export function recordSpans({ service, processor, sampler }: SpanRecording): Tracing {
  // The process has one context manager: the call of a second service has no effect.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'despatch' }),
    spanProcessors: [processor],
    ...(sampler && { sampler }),
  })
  const tracer = provider.getTracer('despatch')
  return {
    isOn: true,
    startSpan: (name, options = {}) => startSpan(tracer, name, options),
    close: () => pTimeout(provider.shutdown(), { milliseconds: closeMsMax }).catch(() => {}),
  }
}

function startSpan(tracer: Tracer, name: string, options: SpanOptions): TraceSpan {
  const { kind = 'internal', links = [], facts = {}, startedAt = new Date() } = options
  const parent = 'parent' in options ? contextOf(options.parent) : context.active()
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      links: linksTo(links),
      attributes: facts as Attributes,
      startTime: startedAt,
    },
    parent,
  )
  return toTraceSpan(span, trace.setSpan(parent, span), startedAt)
}

function toTraceSpan(span: Span, within: Context, startedAt: Date): TraceSpan {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
  return {
    traceparent: renderTraceparent({ traceId, spanId, isSampled }),
    traceId,
    startedAt,
    run: (work) => context.with(within, work),
    note: (facts: SpanFacts) => void span.setAttributes(facts as Attributes),
    linkTo: (traceparents) => void span.addLinks(linksTo(traceparents)),
    end: (failure) => {
      if (failure !== undefined) {
        span.setAttribute('error.type', failure)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

function contextOf(traceparent: string | null | undefined): Context {
  const [link] = linksTo(traceparent ? [traceparent] : [])
  return link ? trace.setSpanContext(ROOT_CONTEXT, link.context) : ROOT_CONTEXT
}

function linksTo(traceparents: readonly string[]): Link[] {
  return traceparents.flatMap((traceparent) => {
    const parsed = parseTraceparent(traceparent)
    if (!parsed) return []
    const { traceId, spanId, isSampled } = parsed
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
    return [{ context: { traceId, spanId, traceFlags, isRemote: true } }]
  })
}

/** An unavailable collector must not delay the end of the process. */
