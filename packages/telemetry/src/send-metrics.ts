import { hrTime } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { emptyResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import pTimeout from 'p-timeout'
import type { Logger } from './logger.ts'
import type { Registry } from './metrics.ts'
import type { MetricsExport } from './open-metrics-export.ts'
import { parseHeaders } from './parse-headers.ts'
import { toMetricData } from './to-metric-data.ts'

const sendMsMax = 10_000
const closeMsMax = 3_000

type Collector = { endpoint: string; headers: string | undefined; everyMs: number; log: Logger }

/**
 * Reads the registries and sends their metrics to a collector by OTLP over HTTP, every `everyMs`. While the collector is
 * away nothing is kept: the next reading has the counts of all earlier ones.
 */
export function sendMetrics(
  service: string,
  registries: readonly Registry[],
  { endpoint, headers = '', everyMs, log }: Collector,
): MetricsExport {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/metrics`
  const timeoutMillis = Math.min(sendMsMax, everyMs)
  const exporter = new OTLPMetricExporter({ url, headers: parseHeaders(headers), timeoutMillis })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'despatch' }),
    readers: [
      new PeriodicExportingMetricReader({
        exporter: loggingFailures(exporter, log),
        exportIntervalMillis: everyMs,
        exportTimeoutMillis: timeoutMillis,
        metricProducers: [producerOf(registries, log)],
      }),
    ],
  })
  const close = () => pTimeout(provider.shutdown(), { milliseconds: closeMsMax }).catch(() => {})
  return { close }
}

/** Reads registries for the SDK, which has no metrics of its own here. */
function producerOf(registries: readonly Registry[], log: Logger): MetricProducer {
  const startTime = hrTime()
  return {
    async collect() {
      const read = await Promise.allSettled(registries.map((each) => each.getMetricsAsJSON()))
      const errors = read.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      if (errors.length > 0) log.warn({ failure: 'read' }, 'metrics.not-sent')
      const values = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const times = { startTime, endTime: hrTime() }
      const metrics = values.flatMap((metric) => toMetricData(metric, times) ?? [])
      const scopeMetrics = [{ scope: { name: 'despatch' }, metrics }]
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors }
    },
  }
}

/** Logs the first of several failures in a row. The message may quote the address, which may contain a credential. */
function loggingFailures(exporter: PushMetricExporter, log: Logger): PushMetricExporter {
  let isAway = false
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        if (result.error && !isAway) log.warn({ failure: result.error.name }, 'metrics.not-sent')
        isAway = result.error !== undefined
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
