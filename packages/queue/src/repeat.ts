import { beginWork } from '@despatch/telemetry/work-under-way'
import { within } from './within.ts'

/** A pass that repeats until it is closed. */
export type Repeated = {
  /** Starts the next pass now instead of at its scheduled time. */
  nudge(): void
  /** Returns when a pass last ended without an error, or the start time if none has. */
  lastPassAt(): Date
  /**
   * Asks the pass under way to end, and waits for it up to 5 s. A pass may be interrupted anywhere, as in a crash.
   */
  close(): Promise<void>
}

export type RepeatOptions = {
  /** The name under which the process reports that it is stuck. */
  name: string
  /** A function is asked at the end of each pass. */
  everyMs: number | (() => number)
  /** Milliseconds without progress after which a pass counts as stuck and `/health/live` fails. Default: 5 minutes. */
  passMsMax?: number
  /**
   * Does one bounded piece of work. Returns 'again' if there is more, so that the next pass follows at once. A long
   * pass must call `progressed` after each part. `closing` aborts when the loop closes. A pass that then ends with an
   * AbortError is not reported.
   */
  pass: (progressed: () => void, closing: AbortSignal) => Promise<'again' | 'idle'>
  onError: (error: Error) => void
}

const passMsMaxDefault = 5 * 60_000
const closeMsMax = 5_000

/**
 * Repeats a pass on a plain timer, one at a time. A pass that fails is reported to `onError` and retried at the next
 * interval. The pauses of all loops end together, so that an idle process wakes up seldom.
 */
export function repeat({
  name,
  everyMs,
  passMsMax = passMsMaxDefault,
  pass,
  onError,
}: RepeatOptions): Repeated {
  const closing = new AbortController()
  let nudged = false
  let lastPassAt = new Date()
  let wake: (() => void) | undefined

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      nudged = false
      const work = beginWork(name, passMsMax)
      const result = await pass(work.progressed, closing.signal)
        .then(
          (value) => {
            lastPassAt = new Date()
            return value
          },
          (error: unknown) => {
            const isClosed = closing.signal.aborted && (error as Error)?.name === 'AbortError'
            if (!isClosed) onError(error instanceof Error ? error : new Error(String(error)))
            return 'idle' as const
          },
        )
        .finally(work.end)
      if (result === 'idle' && !nudged && !closing.signal.aborted) await pause()
    }
  }

  function pause(): Promise<void> {
    const intervalMs = typeof everyMs === 'number' ? everyMs : everyMs()
    return new Promise((resolve) => {
      const timer = setTimeout(done, untilNext(intervalMs, performance.now()))
      function done() {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
      wake = done
    })
  }

  const running = run()
  return {
    nudge: () => {
      nudged = true
      wake?.()
    },
    lastPassAt: () => lastPassAt,
    close: async () => {
      closing.abort()
      wake?.()
      // An error of the pass was reported to onError.
      await within(closeMsMax, running).catch(() => {})
    },
  }
}

/**
 * Returns the milliseconds until the next whole multiple of the interval in the life of the process. A pause is never
 * shorter than a tenth of the interval.
 */
export function untilNext(everyMs: number, nowMs: number): number {
  const untilMs = everyMs - (nowMs % everyMs)
  return untilMs < everyMs / 10 ? untilMs + everyMs : untilMs
}
