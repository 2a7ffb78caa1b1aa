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
    // What a task takes is watched. A thread also keeps some of what earlier tasks took, for which there is room as much.
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil((2 * walls.memoryBytes) / mebibyte) },
  })
  // The pool itself lets what waits wait for ever when the thread before it was ended.
  const places = createPlaces({ places: threadsMax })

  // Of a thread that is full, whoever filled it is not known: each that is lost is followed by a fresh one.
  async function runAfresh(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    for (let lost = 0; lost < threadsMax; lost++) {
      try {
        return await runWatched(task, signal)
      } catch (error) {
        if (!(error instanceof ThreadFull)) throw error
      }
    }
    return runWatched(task, signal)
  }

  async function runWatched(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    const progress = newProgress()
    const watch = watchTask(progress, () => pool.threads, walls)
    const signals = [watch.broken, ...(signal ? [signal] : [])]
    try {
      return await pool.run({ task, progress }, { signal: AbortSignal.any(signals) })
    } catch (error) {
      if (watch.broken.aborted) throw watch.broken.reason
      throw isOutOfMemory(error) ? new ThreadFull('memory', watch.fileIndex()) : error
    } finally {
      watch.end()
    }
  }

  return {
    run: (task, signal) => places.use(() => runAfresh(task, signal)),
    close: () => pool.destroy(),
  }
}

/** The memory of a thread ran out before the task was seen to have taken more than it may. */
class ThreadFull extends WallBroken {}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
