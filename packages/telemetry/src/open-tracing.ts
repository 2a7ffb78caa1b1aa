import type { Logger } from './logger.ts'
import { noTracing, type Tracing } from './tracing.ts'

/** As packages/config reads them, with the names of OpenTelemetry. */
export type TracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  /** `name=value` pairs, URL-encoded, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS?: string | undefined
  OTEL_TRACES_EXPORTER?: 'otlp' | 'none' | undefined
  /** Share of the requests, and of traces that begin here, from 0 to 1. Default: all. */
  OTEL_TRACES_SAMPLER_ARG?: number | undefined
}

const defaultEndpoint = 'http://localhost:4318'

/**
 * Opens tracing for one service, to an OTLP collector if the settings name one. Otherwise nothing is traced, and the
 * tracing code is not even loaded.
 */
export async function openTracing(
  service: string,
  { settings, log }: { settings: TracingSettings; log: Logger },
): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: exporter } = settings
  const isWanted = exporter === undefined ? endpoint !== undefined : exporter === 'otlp'
  if (!isWanted) return noTracing
  const [{ recordSpans }, { sendSpans, sampleTraces }] = await Promise.all([
    import('./record-spans.ts'),
    import('./send-spans.ts'),
  ])
  return recordSpans({
    service,
    processor: sendSpans(
      { endpoint: endpoint ?? defaultEndpoint, headers: settings.OTEL_EXPORTER_OTLP_HEADERS },
      log,
    ),
    sampler: sampleTraces(settings.OTEL_TRACES_SAMPLER_ARG ?? 1),
  })
}
