import { setTimeout as pause } from 'node:timers/promises'

/** Waits for the turn of the next document. */
export type Pace = (signal: AbortSignal) => Promise<void>

/** Timers are not more precise. Turns within this time are taken at once. */
const shortestPauseMs = 5

/** Returns a pace of `documentsPerSecond` turns a second for all callers together; without a number, unlimited. */
export function createPace(documentsPerSecond: number | undefined): Pace {
  if (documentsPerSecond === undefined) return async () => {}
  let nextMs = 0
  return async (signal) => {
    const nowMs = performance.now()
    const turnMs = Math.max(nextMs, nowMs)
    nextMs = turnMs + 1_000 / documentsPerSecond
    if (turnMs - nowMs < shortestPauseMs) return
    await pause(turnMs - nowMs, undefined, { signal })
  }
}
