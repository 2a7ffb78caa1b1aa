/** All queues of the system. Each has one kind of consumer: docs/journey.md lists them. */
export const queueNames = ['quarantine', 'validate', 'callback'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * A wake-up: work may be due for this subject (the internal id of a print job or callback). It carries no data. The
 * consumer reads everything else from the database and does nothing if the work is already done. A new epoch makes a
 * new task. While the queue remembers it, the same subject and epoch are one task.
 */
export type Task = { subject: string; epoch: number }

export type QueueCounts = {
  name: QueueName
  waiting: number
  active: number
  delayed: number
  failed: number
}

export type QueueState = QueueCounts & {
  /** If true, its consumers take no task until the queue is resumed, even after a restart. */
  isPaused: boolean
}

/** A queue as operators see it. */
export type ManagedQueue = QueueState & {
  /** Number of processes that take tasks from it; null if the carrier does not report it. */
  workers: number | null
}

/** A running consumer. `close` waits for the tasks under way. */
export type Consumer = {
  /**
   * Limits how many tasks this consumer works on at once; 0 pauses it. Tasks under way are finished. A paused consumer
   * may still take the one task that it was already waiting for.
   */
  limit(concurrency: number): void
  close(): Promise<void>
}

export type ConsumeOptions = {
  concurrency: number
  /** Called when the queue itself fails. The consumer keeps retrying. */
  onError: (error: Error) => void
}

/**
 * Does the work of one task. A rejected promise only marks the task as failed on the board: the database schedules
 * retries. The signal aborts when the task's lock is lost, because another worker may then have taken the task.
 */
export type TaskHandler = (task: Task, signal: AbortSignal) => Promise<void>

export type Queues = {
  /** Adds the tasks in one round trip. */
  enqueue(queue: QueueName, tasks: readonly Task[]): Promise<void>
  consume(queue: QueueName, handler: TaskHandler, options: ConsumeOptions): Consumer
  counts(): Promise<QueueState[]>
  /**
   * Returns a name for the contents of the queues. A different name than before means that tasks may be lost, because
   * Redis was restarted, replaced or wiped. PostgreSQL loses none and always returns the same name.
   */
  incarnation(): Promise<string>
  close(): Promise<void>
}
