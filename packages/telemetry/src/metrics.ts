import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry } from 'prom-client'

export const metricsMediaType = Registry.PROMETHEUS_CONTENT_TYPE

/**
 * Creates a registry for one service, because several services may run in one process. Every sample is labelled with
 * the service.
 */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  return registry
}

/**
 * How often the delay of the event loop is measured, in milliseconds. Each time wakes the process: by default a hundred
 * times a second, which is a tenth of what an idle installation uses.
 */
const lagEveryMs = 100

/**
 * Returns the registry of the process: memory, CPU, event loop and garbage collection. All services of a process share
 * it.
 */
export function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: lagEveryMs })
  }
  return ofProcess
}

let ofProcess: Registry | undefined

/** Returns the samples of several services as one text in the Prometheus format. */
export async function renderMetrics(registries: readonly Registry[]): Promise<string> {
  const samples = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
  return AggregatorRegistry.aggregate(samples).metrics()
}
