import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry } from 'prom-client'

export const metricsMediaType = Registry.PROMETHEUS_CONTENT_TYPE

/** A registry of one service's own: several services may run in one process. Every sample is labelled with the service. */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  return registry
}

/** Memory, CPU, event loop and garbage collection of this process, which is one however many services run in it. */
export function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

let ofProcess: Registry | undefined

/** The samples of several services as one text in the format that Prometheus reads. */
export async function renderMetrics(registries: readonly Registry[]): Promise<string> {
  const samples = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
  return AggregatorRegistry.aggregate(samples).metrics()
}
