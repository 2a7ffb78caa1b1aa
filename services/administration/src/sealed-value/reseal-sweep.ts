import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { createResealGauges, type ResealRound, startRound, walkOn } from './reseal-round.ts'
import type { Resealer } from './reseal-value.ts'
import { sealedColumns } from './sealed-values.ts'

type ResealSweepOptions = {
  db: Db
  log: Logger
  metrics: Registry
  resealer: Resealer
  /** Whether previous keys of callbacks exist. A process that has not been restarted may still seal with them. */
  hasPreviousKeys: boolean
  /** How long a column is walked at a time, and the pauses in between. */
  pace?: Pace
}

export type Pace = {
  walkMs: number
  /** The pause between two walks, and between two rounds as long as a round finds stale values. */
  pauseMs: number
  restMs: number
}

const stuckMs = 10 * 60_000
const defaultPace: Pace = { walkMs: 1_000, pauseMs: 2_000, restMs: 60_000 }

/**
 * Reseals the values that the current key has not sealed. It walks each sealed column from start to end, in short
 * turns, and repeats until nothing is left. Several processes may run it at once. A value that no key unseals stays as
 * it is, and is counted. Closing waits for the rows under way; the next process finds the others.
 */
export function resealTask(options: ResealSweepOptions): PeriodicTask {
  const { pace = defaultPace } = options
  const rounds = sealedColumns.map(startRound)
  const gauges = createResealGauges(options.metrics)
  const context = { ...options, pace, gauges }
  const isDue = ({ notBeforeMs }: ResealRound) => notBeforeMs <= performance.now()

  /** Each column has a time limit of its own, so that none waits for the others. */
  async function walk(round: ResealRound, closing: AbortSignal): Promise<void> {
    const untilMs = performance.now() + pace.walkMs
    while (isDue(round) && !closing.aborted) {
      await walkOn(round, context)
      if (performance.now() >= untilMs) break
    }
  }

  return {
    name: 'sealed-values',
    everyMs: pace.pauseMs,
    passMsMax: stuckMs,
    pass: async (_progressed, closing) => {
      for (const round of rounds) {
        try {
          await walk(round, closing)
        } catch (error) {
          round.notBeforeMs = performance.now() + pace.restMs
          throw error
        }
      }
      return 'idle'
    },
  }
}
