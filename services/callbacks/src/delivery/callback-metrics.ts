import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import { Counter, Gauge, Histogram, type Registry } from '@despatch/telemetry/metrics'

/** The result of one callback that was taken: an attempt, or a postponement without an attempt. */
type ObservedOutcome = AttemptOutcome | 'postponed'

export type CallbackMetrics = {
  taken(count: number): void
  /** `latenessMs` is the time since the planned start of the attempt. */
  started(latenessMs: number): void
  /** `durationMs` is undefined if no call was made. `isAmbiguous`: the call may have arrived, and may arrive again. */
  ended(call: {
    outcome: ObservedOutcome
    isAmbiguous: boolean
    durationMs: number | undefined
  }): void
}

const durationBucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const latenessBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Registers the metrics of the callbacks. `countOpenBreakers` is called at each scrape. */
export function createCallbackMetrics(
  registry: Registry,
  countOpenBreakers: () => Promise<number>,
): CallbackMetrics {
  const registers = [registry]
  const outcomes = new Counter({
    name: 'callback_outcomes_total',
    help: 'Attempts to deliver a callback, by outcome; postponed: no call was made, through no fault of the consumer',
    labelNames: ['outcome'],
    registers,
  })
  const taken = new Counter({
    name: 'callback_taken_total',
    help: 'Callbacks that were taken for delivery, again after they were given back',
    registers,
  })
  const ambiguous = new Counter({
    name: 'callback_ambiguous_total',
    help: 'Calls that may have arrived although no response did: a consumer may receive these callbacks twice',
    registers,
  })
  const durations = new Histogram({
    name: 'callback_attempt_duration_seconds',
    help: 'Time from the start of a call to the end of its response',
    buckets: durationBucketsSeconds,
    registers,
  })
  const lateness = new Histogram({
    name: 'callback_start_lateness_seconds',
    help: 'Time from the scheduled time of a call to its start',
    buckets: latenessBucketsSeconds,
    registers,
  })
  new Gauge({
    name: 'callback_breakers_open',
    help: 'Origins with few or no calls because calls to them fail',
    registers,
    async collect() {
      // Without the database this gauge has no value; the other metrics are still served.
      this.set(await countOpenBreakers().catch(() => Number.NaN))
    },
  })
  return {
    taken: (count) => taken.inc(count),
    started: (latenessMs) => lateness.observe(latenessMs / 1000),
    ended: ({ outcome, isAmbiguous, durationMs }) => {
      outcomes.inc({ outcome })
      if (isAmbiguous) ambiguous.inc()
      if (durationMs !== undefined) durations.observe(durationMs / 1000)
    },
  }
}
