import { type WorkQueue, workQueues } from '@despatch/domain/work/lane'

/** All queues of the system. Each has one kind of consumer: docs/journey.md lists them. */
export const queueNames = workQueues
export type QueueName = WorkQueue

/**
 * A note that a batch of letters is ready. It carries no data of letters. The consumer reads everything else from the database and does nothing if the work is already done. A new epoch makes a new task.
 * While the queue remembers it, the same subject and epoch are one task.
 */
export type Task = {
  /** The id of the batch. */
  subject: string
  epoch: number
  /** Its lane, the consumer if all its subjects are of one, and how many subjects it has. */
  lane?: string
  consumer?: string
  size?: number
}

export type NewTask = Task & {
  /** Overtakes the tasks that wait. */
  isUrgent?: boolean
}

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
 * Does the work of one task, and returns what became of it, which the console shows. `progress` shows there how far the
 * work is. A rejected promise only marks the task as failed: the database schedules retries.
 * The signal aborts when the task's lock is lost, because another worker may then have taken the task.
 */
export type TaskHandler = (
  task: Task,
  signal: AbortSignal,
  progress: (text: string) => Promise<void>,
) => Promise<unknown>

export type Queues = {
  /** Adds the tasks. If it throws, some of them may have been added. */
  enqueue(queue: QueueName, tasks: readonly NewTask[]): Promise<void>
  consume(queue: QueueName, handler: TaskHandler, options: ConsumeOptions): Consumer
  counts(): Promise<QueueState[]>
  close(): Promise<void>
}
