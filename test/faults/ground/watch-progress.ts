import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '@despatch/store/database'
import { type Progress, readProgress } from '../facts/kept-letters.ts'

/** Reads the progress of a consumer's letters repeatedly until it is stopped. */
export type ProgressWatch = {
  /** The largest number of letters that were parked at the same time. */
  parkedAtMost(): number
  /** The number of letters that were under way when progress was last read, or 0 if it could not be read. */
  underWay(): number
  /** Returns a signal that aborts when nothing has changed for so long, from now on. */
  stalled(msMax: number): AbortSignal
  /** Waits until no letter and no callback is under way, or the signal aborts. */
  untilSettled(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

const lookEveryMs = 500
const reportEveryMs = 10_000

export function watchProgress(
  database: Database,
  consumerId: string,
  { goal, tell }: { goal: 'PENDING' | 'DESPATCHED'; tell: (line: string) => void },
): ProgressWatch {
  const stopping = new AbortController()
  let last: Progress | undefined
  let parkedAtMost = 0
  let changedAt = performance.now()
  const watching = (async () => {
    let reportedAt = performance.now()
    while (!stopping.signal.aborted) {
      // While the database is away, progress cannot be read.
      const read = await readProgress(database, consumerId, goal).catch(() => undefined)
      if (!isDeepStrictEqual(movedOf(read), movedOf(last))) changedAt = performance.now()
      last = read
      parkedAtMost = Math.max(parkedAtMost, last?.parked ?? 0)
      if (last && performance.now() - reportedAt >= reportEveryMs) {
        reportedAt = performance.now()
        const { letters, underWay, parked, callbacksLeft } = last
        tell(
          `${letters} letters, ${underWay} under way, ${parked} parked, ${callbacksLeft} callbacks`,
        )
      }
      await pause(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    parkedAtMost: () => parkedAtMost,
    underWay: () => last?.underWay ?? 0,
    stalled: (msMax) => {
      const stalling = new AbortController()
      changedAt = performance.now()
      void (async () => {
        while (!stopping.signal.aborted && performance.now() - changedAt < msMax) {
          await pause(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
        }
        stalling.abort()
      })()
      return stalling.signal
    },
    untilSettled: async (signal) => {
      last = undefined
      while (!signal.aborted && !(last && isSettled(last))) await pause(lookEveryMs / 5)
    },
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}

/** What changes when the system does something, and not when clients only post more letters. */
function movedOf(progress: Progress | undefined) {
  if (!progress) return undefined
  const { letters, underWay, ...others } = progress
  return { ...others, ended: letters - underWay }
}

function isSettled({ underWay, callbacksLeft, runsLeft }: Progress): boolean {
  return underWay === 0 && callbacksLeft === 0 && runsLeft === 0
}
