import type { Db } from '@despatch/store/database'
import { sealedPlaces } from '@despatch/store/sealed-values'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import { beginWork } from '@despatch/telemetry/work-under-way'
import { createResealGauges, type ResealRound, startRound, walkOn } from './reseal-round.ts'
import type { Resealer } from './reseal-value.ts'

export type ResealSweepOptions = {
  db: Db
  log: Logger
  metrics: Registry
  resealer: Resealer
  /** Whether there are previous keys, which a process that has not been restarted may still seal with. */
  hasPreviousKeys: boolean
  /** How long a place is walked at a time, and how long nobody walks in between. */
  pace?: Pace
}

export type Pace = {
  walkMs: number
  /** Between two walks, and between two rounds while something is found. */
  pauseMs: number
  restMs: number
}

const stuckMs = 10 * 60_000
const usualPace: Pace = { walkMs: 1_000, pauseMs: 2_000, restMs: 60_000 }

/**
 * Seals anew, bit by bit, what the current key has not sealed: each place is walked from end to end, and again until nothing
 * is left. Several processes may do so at once. A value that no key opens is left as it is, and counted.
 * Closing waits for the rows that are under way; whatever was not reached, the next process finds.
 */
export function sweepStaleValues(options: ResealSweepOptions): { close(): Promise<void> } {
  const { log, pace = usualPace } = options
  const { walkMs, pauseMs, restMs } = pace
  const rounds = sealedPlaces.map(startRound)
  const gauges = createResealGauges(options.metrics)
  const context = { ...options, pace, gauges }
  const closing = new AbortController()
  let timer: NodeJS.Timeout
  let running: Promise<void> | undefined

  const isDue = ({ notBeforeMs }: ResealRound) => notBeforeMs <= performance.now()
  const walk = async () => {
    for (const round of rounds) {
      // each place has a time of its own, so that none waits for the others
      const untilMs = performance.now() + walkMs
      while (isDue(round) && !closing.signal.aborted) {
        await walkOn(round, context)
        if (performance.now() >= untilMs) break
      }
    }
  }
  const run = async () => {
    try {
      await walk()
      const nextMs = Math.min(...rounds.map(({ notBeforeMs }) => notBeforeMs)) - performance.now()
      return Math.min(Math.max(nextMs, pauseMs), restMs)
    } catch (err) {
      log.error({ err }, 'sealed-values.reseal-failed')
      return restMs
    }
  }
  const repeat = () => {
    const work = beginWork('reseal-sweep', stuckMs)
    running = run()
      .finally(work.end)
      .then((waitMs) => {
        if (closing.signal.aborted) return
        timer = setTimeout(repeat, waitMs)
        timer.unref()
      })
  }
  timer = setTimeout(repeat, pauseMs)
  timer.unref()
  return {
    async close() {
      closing.abort()
      clearTimeout(timer)
      await running
    },
  }
}
