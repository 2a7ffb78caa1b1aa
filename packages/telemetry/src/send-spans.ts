import { SpanKind } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Logger } from './logger.ts'
import { parseHeaders } from './parse-headers.ts'

const sendEveryMs = 2_000
/** Spans that wait to be sent. Further ones are dropped, so that an unavailable collector costs no memory. */
const spansWaitingMax = 4_096
const spansSentMax = 512

/** `headers`: `name=value` pairs, URL-encoded, separated by commas. */
export type Collector = { endpoint: string; headers?: string | undefined }

/** Sends ended spans to a collector by OTLP over HTTP, in batches of several seconds. */
export function sendSpans({ endpoint, headers = '' }: Collector, log: Logger): SpanProcessor {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers: parseHeaders(headers) })
  return new BatchSpanProcessor({
    exporter: loggingFailures(exporter, log),
    scheduledDelayMillis: sendEveryMs,
    maxQueueSize: spansWaitingMax,
    maxExportBatchSize: spansSentMax,
  })
}

/**
 * Samples this share of the requests. Ignores the caller's sampling decision and trace id, so neither can force a trace
 * to be recorded. A trace that our own services continue is recorded if its parent is.
 */
export function sampleTraces(share: number): Sampler {
  const ours = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) })
  return {
    shouldSample: (context, traceId, name, kind, ...rest) => {
      if (kind !== SpanKind.SERVER) return ours.shouldSample(context, traceId, name, kind, ...rest)
      const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision
      return { decision: Math.random() < share ? RECORD_AND_SAMPLED : NOT_RECORD }
    },
    toString: () => `of requests ${share}, else ${ours}`,
  }
}

// The message may quote the address, which may contain a credential.
function loggingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) {
          log.warn({ spans: spans.length, failure: result.error.name }, 'traces.not-sent')
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  }
}
