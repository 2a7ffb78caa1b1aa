/** Resource limits of one task. A thread that exceeds one is terminated. */
export type TaskLimits = {
  /** Processor time for the inspection of one file, in milliseconds. */
  inspectionMs: number
  /** Processor time for the whole task, in milliseconds. */
  taskMs: number
  /** JavaScript objects, buffers and WebAssembly memory together, in bytes. */
  memoryBytes: number
}

export const taskLimits: TaskLimits = {
  inspectionMs: 10_000,
  taskMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
}

export type TaskLimit = 'inspection-time' | 'task-time' | 'memory'

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
  /** Since the current inspection began; undefined if none is under way. */
  inspection: Taken | undefined
  /** Increase since the task began. */
  memoryBytes: number
}

/** Elapsed time may be this many times the limit of processor time, because other threads may occupy the processor. */
const patience = 3

/**
 * Returns the limit that a task has exceeded, if any. The limits apply to processor time, so a busy machine does not
 * count against a letter. Returns 'starved' if much more time than that has elapsed: the thread got too little
 * processor time or waits for something that never comes.
 */
export function judge(
  { task, inspection, memoryBytes }: Observed,
  limits: TaskLimits,
): TaskLimit | 'starved' | undefined {
  if (memoryBytes > limits.memoryBytes) return 'memory'
  if (inspection && inspection.processorMs > limits.inspectionMs) return 'inspection-time'
  if (task.processorMs > limits.taskMs) return 'task-time'
  const isOverdue =
    task.elapsedMs > patience * limits.taskMs ||
    (inspection !== undefined && inspection.elapsedMs > patience * limits.inspectionMs)
  return isOverdue ? 'starved' : undefined
}
