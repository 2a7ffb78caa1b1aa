import type { Worker } from 'node:worker_threads'
import { memoryBytesOf, type Progress, readProgress } from './progress.ts'
import { judge, TaskLimitExceeded, type TaskLimits, ThreadStarved } from './task-limits.ts'

export type WatchedTask = {
  /** Aborts with TaskLimitExceeded or ThreadStarved. */
  broken: AbortSignal
  /** Index of the file that the task works on, or worked on when its thread ended. */
  fileIndex(): number | undefined
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
  let begunAtMs: number | undefined
  let inspection: (Mark & { number: number }) | undefined

  async function look(): Promise<void> {
    const state = readProgress(progress)
    const thread = state && threads().find(({ threadId }) => threadId === state.threadId)
    const now = thread && (await mark(thread))
    if (!state || !now) return
    begunAtMs ??= now.atMs
    const { fileIndex, begun, inspection: number } = state
    if (number === undefined) inspection = undefined
    else if (inspection?.number !== number) inspection = { ...now, number }
    const limit = judge(
      {
        task: taken({ ...begun, atMs: begunAtMs }, now),
        inspection: inspection && taken(inspection, now),
        memoryBytes: now.memoryBytes - begun.memoryBytes,
      },
      taskLimits,
    )
    if (limit === 'starved') broken.abort(new ThreadStarved('A task got too little processor time'))
    else if (limit) broken.abort(new TaskLimitExceeded(limit, fileIndex))
  }

  const timer = setInterval(() => void look(), lookEveryMs)
  return {
    broken: broken.signal,
    fileIndex: () => readProgress(progress)?.fileIndex,
    end: () => clearInterval(timer),
  }
}

function taken(since: Omit<Mark, 'memoryBytes'>, now: Mark) {
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
