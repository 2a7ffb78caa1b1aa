import { setTimeout as pause } from 'node:timers/promises'

/** Waits for the turn of the next document. */
export type Pace = (signal: AbortSignal) => Promise<void>

/** A timer is not finer: turns that come sooner are taken at once. */
const shortestPauseMs = 5

/** Gives so many turns in a second, to all who ask together; without a number, as many as are asked for. */
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
