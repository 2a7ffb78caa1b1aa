import { Piscina } from 'piscina'
import { newProgress, type Progress } from './progress.ts'
import { createSemaphore, type SemaphoreOptions } from './semaphore.ts'
import { TaskLimitExceeded, type TaskLimits } from './task-limits.ts'
import { watchTask } from './watch-task.ts'

/** A task as passed to its thread. */
export type ThreadTask<Task> = { task: Task; progress: Progress }

export type Threads<Task, Result> = {
  /**
   * Runs a task in a thread. Rejects with TaskLimitExceeded if it exceeds a resource limit, and with another error if
   * the task is not the cause. A task that takes long may be ended in favour of another consumer and run again later.
   */
  run(task: Task, use?: ThreadUse): Promise<Result>
  close(): Promise<void>
}

/** For whom a thread works. */
export type ThreadUse = {
  /** Threads are shared out fairly by this id. Without it, all tasks count as those of one consumer. */
  consumerId?: string
  /** Ends the task, and the thread that works on it. */
  signal?: AbortSignal | undefined
}

export type ThreadsOptions = {
  file: URL
  threadsMax: number
  taskLimits: TaskLimits
  /** What the tasks are, for the metrics. */
  work?: string
  /** Called with the processor time that a task used, in milliseconds, also if it was ended. */
  onUsed?: ((consumerId: string, processorMs: number) => void) | undefined
} & Pick<SemaphoreOptions, 'onWaited'>

const threadIdleMs = 30_000
const mebibyte = 1024 * 1024

/**
 * Creates a pool of threads that run the default export of a file. Threads start on demand and end after 30 s without
 * work.
 */
export function startThreads<Task, Result>({
  file,
  threadsMax,
  taskLimits,
  work = 'task',
  onWaited,
  onUsed,
}: ThreadsOptions): Threads<Task, Result> {
  const pool = new Piscina<ThreadTask<Task>, Result>({
    filename: file.href,
    minThreads: 0,
    maxThreads: threadsMax,
    idleTimeout: threadIdleMs,
    // One task per thread, so that what a thread uses is attributed to one task.
    concurrentTasksPerWorker: 1,
    // The watch measures what the task uses. This limit is twice as high, because a thread also keeps memory of earlier
    // tasks.
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil((2 * taskLimits.memoryBytes) / mebibyte) },
  })
  // The pool leaves waiting tasks waiting forever if it terminates the thread before them.
  const semaphore = createSemaphore({ permits: threadsMax, ...(onWaited && { onWaited }) })

  // When a thread runs out of memory we cannot tell which task caused it, so each lost task is retried on a fresh
  // thread.
  async function runAndRetry(task: Task, consumerId: string, signal: AbortSignal): Promise<Result> {
    for (let lost = 0; lost < threadsMax; lost++) {
      try {
        return await runWatched(task, consumerId, signal)
      } catch (error) {
        if (!(error instanceof ThreadFull)) throw error
      }
    }
    return runWatched(task, consumerId, signal)
  }

  async function runWatched(task: Task, consumerId: string, signal: AbortSignal): Promise<Result> {
    const progress = newProgress()
    const watch = watchTask(progress, () => pool.threads, taskLimits)
    try {
      const signals = AbortSignal.any([watch.broken, signal])
      return await pool.run({ task, progress }, { signal: signals })
    } catch (error) {
      if (watch.broken.aborted) throw watch.broken.reason
      throw isOutOfMemory(error) ? new ThreadFull('memory', watch.fileIndex()) : error
    } finally {
      watch.end()
      onUsed?.(consumerId, watch.usedMs())
    }
  }

  return {
    run: (task, { consumerId = '', signal } = {}) =>
      semaphore.use({ consumerId, work, signal }, (ownSignal) =>
        runAndRetry(task, consumerId, ownSignal),
      ),
    close: () => pool.destroy(),
  }
}

/** A thread ran out of memory before the watch saw its task exceed the limit. */
class ThreadFull extends TaskLimitExceeded {}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
