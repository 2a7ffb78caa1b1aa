import { findOutage } from '@despatch/http/unavailable-answer'
import type { Logger } from '@despatch/telemetry/logger'

const outageLineEveryMs = 60_000

/**
 * Returns a function that logs what the console could not read. The pages read every second, so an outage gets one line
 * a minute, without a stack. Any other fault gets a line each time.
 */
export function logReadFailures(
  log: Pick<Logger, 'warn' | 'error'>,
  monotonicMs: () => number = () => performance.now(),
): (error: Error) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  return (error) => {
    const outage = findOutage(error)
    if (!outage) return log.error({ err: error }, 'ops-console.trouble')
    if (monotonicMs() - loggedAtMs < outageLineEveryMs) return
    loggedAtMs = monotonicMs()
    log.warn(outage, 'ops-console.trouble')
  }
}
