import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry } from 'prom-client'

export const metricsMediaType = Registry.PROMETHEUS_CONTENT_TYPE

/**
 * A registry of one service's own: several services may run in one process. Every sample is labelled with the service.
 * `process: true` adds memory, CPU, event loop and garbage collection of this process: once per process.
 */
export function createMetrics(service: string, { process = false } = {}): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  if (process) collectDefaultMetrics({ register: registry })
  return registry
}

/** The samples of several services as one text in the format that Prometheus reads. */
export async function renderMetrics(registries: readonly Registry[]): Promise<string> {
  const samples = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
  return AggregatorRegistry.aggregate(samples).metrics()
}
