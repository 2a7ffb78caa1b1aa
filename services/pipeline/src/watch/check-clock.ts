import type { HealthCheck } from '@despatch/http/health'
import { within } from '@despatch/queue/within'
import type { Database } from '@despatch/store/database'
import { measureClockSkew, registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'

/**
 * Half of a task lock's duration. Queues on PostgreSQL trust each worker's clock: above this skew, two workers could
 * run one task.
 */
const skewMsMax = 7_500
const queryMsMax = 5_000

type ClockWatch = {
  /** Returns whether this machine's clock is close enough to the database's, according to the last comparison. */
  isRight(): boolean
  /** Compares the clocks. While the database does not answer, the last result applies. */
  look(): Promise<HealthCheck>
}

type ClockWatchOptions = {
  pool: Pick<Database['pool'], 'query'>
  now: () => Date
  /** Called when the clock is found wrong, or right again. */
  onChange?: () => void
  log: Pick<Logger, 'info' | 'error'>
  registry: Registry
}

/** Watches the skew between this machine's clock and the database's. */
export function watchClock({
  pool,
  now,
  onChange = () => {},
  log,
  registry,
}: ClockWatchOptions): ClockWatch {
  const name = 'clock'
  let isRight = true
  registerClockSkew(registry, { pool, now })

  const judge = (skewMs: number) => {
    const wasRight = isRight
    isRight = Math.abs(skewMs) <= skewMsMax
    if (isRight === wasRight) return
    if (isRight) log.info({ skewMs }, 'clock.right')
    else log.error({ skewMs }, 'clock.off')
    onChange()
  }
  return {
    isRight: () => isRight,
    look: async () => {
      try {
        const skewMs = await within(queryMsMax, measureClockSkew({ pool, now }))
        judge(skewMs)
        if (isRight) return { name, ok: true }
        const reason = `${skewMs} ms from the clock of the database, so this worker takes no work`
        return { name, ok: false, reason }
      } catch {
        return { name, ok: false, reason: 'the database was not queried' }
      }
    },
  }
}
