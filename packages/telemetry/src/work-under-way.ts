/** Work that must end in time, or say that it gets on. */
export type WorkUnderWay = {
  /** Some part of it is done: its time begins again. */
  progressed(): void
  end(): void
}

/** Work that has gone on for longer than it may without progress. */
export type StuckWork = { name: string; seconds: number }

type Entry = { name: string; sinceMs: number; msMax: number }

// Like the figures of the process: liveness is that of the process, whatever number of services it runs.
const underWay = new Set<Entry>()

/**
 * Notes that work has begun. It must call `end` however it ends. Work without progress for longer than `msMax` milliseconds is
 * stuck: every call has a deadline of its own, so it waits for something that never comes, and only a restart helps. Give it
 * several times what its slowest call may take. Work that fails again and again is not stuck: that is for readiness.
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

/** The work of this process that is stuck, by name. */
export function listStuckWork(nowMs = performance.now()): StuckWork[] {
  return [...underWay]
    .filter(({ sinceMs, msMax }) => nowMs - sinceMs > msMax)
    .map(({ name, sinceMs }) => ({ name, seconds: Math.round((nowMs - sinceMs) / 1000) }))
}
