/** Work that must end in time or report progress. */
type WorkUnderWay = {
  /** Reports that a part is done. Restarts the time limit. */
  progressed(): void
  end(): void
}

/** Work that exceeded its time limit without progress. */
type StuckWork = { name: string; seconds: number }

type Entry = { name: string; sinceMs: number; msMax: number }

// Shared by all services of the process, because liveness is a property of the process.
const underWay = new Set<Entry>()

/**
 * Registers work that has begun. The caller must call `end` however it ends. Work without progress for longer than
 * `msMax` milliseconds is stuck: every call has its own deadline, so such work waits for something that never comes,
 * and only a restart helps. Choose several times the deadline of its slowest call. Work that fails repeatedly is not
 * stuck; readiness covers that.
 */
export function beginWork(
  name: string,
  msMax: number,
  clock: () => number = () => performance.now(),
): WorkUnderWay {
  const entry: Entry = { name, sinceMs: clock(), msMax }
  underWay.add(entry)
  return {
    progressed: () => {
      entry.sinceMs = clock()
    },
    end: () => void underWay.delete(entry),
  }
}

/** Returns the stuck work of this process, by name. */
export function listStuckWork(nowMs = performance.now()): StuckWork[] {
  return [...underWay]
    .filter(({ sinceMs, msMax }) => nowMs - sinceMs > msMax)
    .map(({ name, sinceMs }) => ({ name, seconds: Math.round((nowMs - sinceMs) / 1000) }))
}
