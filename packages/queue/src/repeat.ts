import { beginWork } from '@despatch/telemetry/work-under-way'
import { within } from './within.ts'

/** A pass that is repeated until closed. */
export type Repeated = {
  /** Starts the next pass now instead of at its time. */
  nudge(): void
  /** When a pass last ended without an error; the start, before the first one. */
  lastPassAt(): Date
  /** Waits for the pass that is under way, but for no more than 5 s: a pass may break off anywhere, as in a crash. */
  close(): Promise<void>
}

export type RepeatOptions = {
  /** Names it where the process says that it is stuck. */
  name: string
  everyMs: number
  /** A pass without progress for longer than this is stuck, in milliseconds: `/health/live` fails. Default: 5 minutes. */
  passMsMax?: number
  /**
   * Does one bounded piece of work. `again`: there is more, so the next pass follows at once. A long one calls `progressed`
   * after each part.
   */
  pass: (progressed: () => void) => Promise<'again' | 'idle'>
  onError: (error: Error) => void
}

const passMsMaxDefault = 5 * 60_000
const closeMsMax = 5_000

/** Repeats a pass from a plain timer, one at a time. A pass that fails is reported and tried again at its time. */
export function repeat({
  name,
  everyMs,
  passMsMax = passMsMaxDefault,
  pass,
  onError,
}: RepeatOptions): Repeated {
  let closing = false
  let nudged = false
  let lastPassAt = new Date()
  let wake: (() => void) | undefined

  async function run(): Promise<void> {
    while (!closing) {
      nudged = false
      const work = beginWork(name, passMsMax)
      const result = await pass(work.progressed)
        .then(
          (value) => {
            lastPassAt = new Date()
            return value
          },
          (error: unknown) => {
            onError(error instanceof Error ? error : new Error(String(error)))
            return 'idle' as const
          },
        )
        .finally(work.end)
      if (result === 'idle' && !nudged && !closing) await pause()
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, everyMs)
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
      closing = true
      wake?.()
      // What goes wrong with a pass goes to onError.
      await within(closeMsMax, running).catch(() => {})
    },
  }
}
