import { Counter, Histogram, type Registry } from '@despatch/telemetry/metrics'

export type CallbackMetrics = {
  /** Counts one try. Without a duration no call was made. */
  observe(outcome: { outcome: string; durationMs: number | undefined }): void
}

const durationBucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export function createCallbackMetrics(registry: Registry): CallbackMetrics {
  const outcomes = new Counter({
    name: 'callback_outcomes_total',
    help: 'Tries to deliver a callback, by what came of them; unknown: it may have arrived',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'callback_attempt_duration_seconds',
    help: 'Time from the start of a call to the end of its answer',
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  return {
    observe: ({ outcome, durationMs }) => {
      outcomes.inc({ outcome })
      if (durationMs !== undefined) durations.observe(durationMs / 1000)
    },
  }
}
