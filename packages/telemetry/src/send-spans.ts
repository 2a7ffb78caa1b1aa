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

const sendEveryMs = 2_000
/** Spans that wait to be sent; further ones are dropped, so that a collector that is away costs no memory. */
const spansWaitingMax = 4_096
const spansSentMax = 512

/** Sends ended spans to a collector by OTLP over HTTP, some seconds' worth together. */
export function sendSpans(endpoint: string, log: Logger): SpanProcessor {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  return new BatchSpanProcessor({
    exporter: tellingOfFailures(new OTLPTraceExporter({ url }), log),
    scheduledDelayMillis: sendEveryMs,
    maxQueueSize: spansWaitingMax,
    maxExportBatchSize: spansSentMax,
  })
}

/**
 * Takes this share of the requests, whatever the caller says of a trace that it began: neither its choice nor the id that it
 * chose has a trace recorded. What our own services continue is recorded when what they continue is.
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

// The message may quote the address, which may hold a credential.
function tellingOfFailures(exporter: SpanExporter, log: Logger): SpanExporter {
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
