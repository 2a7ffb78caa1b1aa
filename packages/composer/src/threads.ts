import { Piscina } from 'piscina'
import { createPlaces } from './places.ts'
import { newProgress, type Progress } from './progress.ts'
import { WallBroken, type Walls } from './walls.ts'
import { watchTask } from './watch-task.ts'

/** A task as its thread gets it. */
export type ThreadTask<Task> = { task: Task; progress: Progress }

export type Threads<Task, Result> = {
  /**
   * Does a task in a thread. Rejects with WallBroken when it breaks a wall, and with anything else when the
   * fault is not the task's.
   */
  run(task: Task, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

const threadIdleMs = 30_000
const mebibyte = 1024 * 1024

/** Threads that run the default export of a file. They start when there is work and end when there is none. */
export function startThreads<Task, Result>({
  file,
  threadsMax,
  walls,
}: {
  file: URL
  threadsMax: number
  walls: Walls
}): Threads<Task, Result> {
  const pool = new Piscina<ThreadTask<Task>, Result>({
    filename: file.href,
    minThreads: 0,
    maxThreads: threadsMax,
    idleTimeout: threadIdleMs,
    // A thread has one task: what it takes is that task's.
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(walls.memoryBytes / mebibyte) },
  })
  // The pool itself lets what waits wait for ever when the thread before it was ended.
  const places = createPlaces({ places: threadsMax })

  async function runWatched(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    const progress = newProgress()
    const watch = watchTask(progress, () => pool.threads, walls)
    const signals = [watch.broken, ...(signal ? [signal] : [])]
    try {
      return await pool.run({ task, progress }, { signal: AbortSignal.any(signals) })
    } catch (error) {
      if (watch.broken.aborted) throw watch.broken.reason
      throw isOutOfMemory(error) ? new WallBroken('memory', watch.fileIndex()) : error
    } finally {
      watch.end()
    }
  }

  return {
    run: (task, signal) => places.use(() => runWatched(task, signal)),
    close: () => pool.destroy(),
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
