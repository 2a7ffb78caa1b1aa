/** Resource limits of one task. A thread that exceeds one is terminated. */
export type TaskLimits = {
  /** Processor time for all work on one file, in milliseconds. */
  fileMs: number
  /** The same, in addition, for each of its pages. */
  pageMs: number
  /** Processor time for the whole task, in milliseconds. */
  taskMs: number
  /** JavaScript objects, buffers and WebAssembly memory together, in bytes. */
  memoryBytes: number
  /** Elapsed time may be this many times the limit of processor time, because other threads may occupy the processor. */
  patience: number
}

export const taskLimits: TaskLimits = {
  fileMs: 5_000,
  pageMs: 200,
  taskMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
  patience: 12,
}

export type TaskLimit = 'file-time' | 'task-time' | 'memory'

/** A task exceeded a resource limit. Its input is the cause, so a retry would exceed it again. */
export class TaskLimitExceeded extends Error {
  override readonly name = 'TaskLimitExceeded'
  readonly limit: TaskLimit
  /** Index of the file that was being processed, if any. */
  readonly fileIndex: number | undefined

  constructor(limit: TaskLimit, fileIndex: number | undefined) {
    super(`A task exceeded the limit of ${limit}`)
    this.limit = limit
    this.fileIndex = fileIndex
  }
}

/** A task ran for long and got little processor time. This is a fault of ours; retry it. */
export class ThreadStarved extends Error {
  override readonly name = 'ThreadStarved'
}

/** Elapsed time and processor time of the thread, in milliseconds. */
export type Taken = { elapsedMs: number; processorMs: number }

export type Observed = {
  task: Taken
  /** All work on the file that the task works on; undefined if it works on the whole letter. */
  file: (Taken & { pages: number }) | undefined
  /** Increase since the task began. */
  memoryBytes: number
}

/**
 * Returns the limit that a task has exceeded, if any. The limits apply to processor time, so a busy machine does not
 * count against a letter. Returns 'starved' if much more time than that has elapsed: the thread got too little
 * processor time or waits for something that never comes.
 */
export function judge(
  { task, file, memoryBytes }: Observed,
  limits: TaskLimits,
): TaskLimit | 'starved' | undefined {
  if (memoryBytes > limits.memoryBytes) return 'memory'
  const fileMsMax = limits.fileMs + (file?.pages ?? 0) * limits.pageMs
  if (file && file.processorMs > fileMsMax) return 'file-time'
  if (task.processorMs > limits.taskMs) return 'task-time'
  const isOverdue =
    task.elapsedMs > limits.patience * limits.taskMs ||
    (file !== undefined && file.elapsedMs > limits.patience * fileMsMax)
  return isOverdue ? 'starved' : undefined
}
