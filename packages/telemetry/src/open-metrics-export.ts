import type { Logger } from './logger.ts'
import type { Registry } from './metrics.ts'

/** As packages/config reads them, with the names of OpenTelemetry. */
export type MetricsExportSettings = {
  OTEL_METRICS_EXPORTER?: 'otlp' | 'none' | undefined
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  /** `name=value` pairs, URL-encoded, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS?: string | undefined
  /** Milliseconds between two readings of the metrics. */
  OTEL_METRIC_EXPORT_INTERVAL?: number | undefined
}

export type MetricsExport = {
  /** Sends the metrics a last time, for three seconds at most. */
  close(): Promise<void>
}

const defaultEndpoint = 'http://localhost:4318'
const defaultIntervalMs = 60_000
const noExport: MetricsExport = { close: async () => {} }

/**
 * Sends the metrics of one service to an OTLP collector, again and again, if the settings ask for it. Otherwise the code
 * for it is not even loaded. What is sent is what GET /metrics returns.
 */
export async function openMetricsExport(
  service: string,
  registries: readonly Registry[],
  { settings, log }: { settings: MetricsExportSettings; log: Logger },
): Promise<MetricsExport> {
  if (settings.OTEL_METRICS_EXPORTER !== 'otlp') return noExport
  const { sendMetrics } = await import('./send-metrics.ts')
  return sendMetrics(service, registries, {
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT ?? defaultEndpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    everyMs: settings.OTEL_METRIC_EXPORT_INTERVAL ?? defaultIntervalMs,
    log,
  })
}
