import type { Worker } from 'node:worker_threads'
import { memoryBytesOf, type Progress, readProgress } from './progress.ts'
import {
  judge,
  type Taken,
  TaskLimitExceeded,
  type TaskLimits,
  ThreadStarved,
} from './task-limits.ts'

type WatchedTask = {
  /** Aborts with TaskLimitExceeded or ThreadStarved. */
  broken: AbortSignal
  /** Index of the file that the task works on, or worked on when its thread ended. */
  fileIndex(): number | undefined
  /** Processor time that the task has used, in milliseconds. Of a task that was ended, up to 100 ms are missing. */
  usedMs(): number
  end(): void
}

/** Resource use of a thread at one time. */
type Mark = { atMs: number; processorMs: number; memoryBytes: number }

const lookEveryMs = 100

/**
 * Watches a task from the main thread while its own thread is busy: time per file and in total, and memory of the
 * thread. Also detects a thread in an endless loop.
 */
export function watchTask(
  progress: Progress,
  threads: () => readonly Worker[],
  taskLimits: TaskLimits,
): WatchedTask {
  const broken = new AbortController()
  const files = new Map<number, Taken>()
  let begun: Mark | undefined
  let last: Mark | undefined

  async function look(): Promise<void> {
    const state = readProgress(progress)
    const thread = state && threads().find(({ threadId }) => threadId === state.threadId)
    const now = thread && (await mark(thread))
    if (!state || !now) return
    begun ??= { ...state.begun, atMs: now.atMs }
    const { fileIndex, pages } = state
    const file = fileIndex === undefined ? undefined : addTo(fileIndex, taken(last ?? begun, now))
    last = now
    const limit = judge(
      {
        task: taken(begun, now),
        file: file && { ...file, pages },
        memoryBytes: now.memoryBytes - begun.memoryBytes,
      },
      taskLimits,
    )
    if (limit === 'starved') broken.abort(new ThreadStarved('A task got too little processor time'))
    else if (limit) broken.abort(new TaskLimitExceeded(limit, fileIndex))
  }

  /** Adds what the thread took between two looks to the file that it works on at the second look. */
  function addTo(fileIndex: number, more: Taken): Taken {
    const known = files.get(fileIndex) ?? { elapsedMs: 0, processorMs: 0 }
    const sum = {
      elapsedMs: known.elapsedMs + more.elapsedMs,
      processorMs: known.processorMs + more.processorMs,
    }
    files.set(fileIndex, sum)
    return sum
  }

  const timer = setInterval(() => void look(), lookEveryMs)
  return {
    broken: broken.signal,
    fileIndex: () => readProgress(progress)?.fileIndex,
    usedMs: () => {
      const state = readProgress(progress)
      const usedMs = state?.endedMs ?? last?.processorMs
      return state && usedMs !== undefined ? Math.max(usedMs - state.begun.processorMs, 0) : 0
    },
    end: () => clearInterval(timer),
  }
}

function taken(since: Omit<Mark, 'memoryBytes'>, now: Mark): Taken {
  return {
    elapsedMs: now.atMs - since.atMs,
    processorMs: now.processorMs - since.processorMs,
  }
}

/** Returns undefined if the thread has ended. */
async function mark(thread: Worker): Promise<Mark | undefined> {
  try {
    const [{ user, system }, heap] = await Promise.all([
      thread.cpuUsage(),
      thread.getHeapStatistics(),
    ])
    return {
      atMs: performance.now(),
      processorMs: (user + system) / 1000,
      memoryBytes: memoryBytesOf(heap),
    }
  } catch {
    return undefined
  }
}
