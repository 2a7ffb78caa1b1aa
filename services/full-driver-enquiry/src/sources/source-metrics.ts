import type { DriverSourceName } from '@despatch/contracts/driver-sources/operations'
import { Counter, Gauge, Histogram, type Registry } from '@despatch/telemetry/metrics'

const breakerStates = ['closed', 'open', 'half-open'] as const
export type BreakerState = (typeof breakerStates)[number]

export type SourceMetrics = ReturnType<typeof createSourceMetrics>

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Registers the metrics of the sources: their answers, the duration of calls, and the state of the breakers. */
export function createSourceMetrics(registry: Registry) {
  const answers = new Counter({
    name: 'driver_source_answers_total',
    help: 'Requests of enquiries to a source, by outcome; a source whose breaker is open counts as unavailable',
    labelNames: ['source', 'outcome'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'driver_source_call_duration_seconds',
    help: 'Duration of a call to a source, whatever its outcome',
    labelNames: ['source'],
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  const breakers = new Gauge({
    name: 'driver_source_breaker_state',
    help: '1 for the current state of the breaker of a source; open: the source is not called',
    labelNames: ['source', 'state'],
    registers: [registry],
  })
  return {
    count: (source: DriverSourceName, outcome: string): void => answers.inc({ source, outcome }),
    timer: (source: DriverSourceName) => () => durations.startTimer({ source }),
    setBreaker(source: DriverSourceName, now: BreakerState): void {
      for (const state of breakerStates) breakers.set({ source, state }, state === now ? 1 : 0)
    },
  }
}
