import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
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

/** Keeps to the choice of whoever began a trace; of those that begin here, takes this share. */
export function sampleTraces(share: number): Sampler {
  return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) })
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
