/** Every queue of the system. Each has one consumer: docs/journey.md says which. */
export const queueNames = ['quarantine', 'validate', 'callback'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * A wake-up: work may be due for this subject (a print job's or callback's internal id). It carries no data; the
 * consumer reads everything else from the database and does nothing when the work is already done.
 * A new epoch makes a new task; the same subject and epoch are one task while the queue remembers it.
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
  /** Its consumers take nothing until it is resumed, also after they have started anew. */
  isPaused: boolean
}

/** A queue as operators see it. */
export type ManagedQueue = QueueState & {
  /** How many processes take from it; null where the carrier does not tell. */
  workers: number | null
}

/** A running consumer. `close` waits for the tasks in hand. */
export type Consumer = {
  /**
   * Limits the tasks that this consumer alone works on at once; 0 pauses it. Tasks in hand are finished. A paused
   * consumer may still take one task for which it was already waiting.
   */
  limit(concurrency: number): void
  close(): Promise<void>
}

export type ConsumeOptions = {
  concurrency: number
  /** Called when the queue itself is in trouble; the consumer goes on trying. */
  onError: (error: Error) => void
}

/**
 * Does the work of one task. A rejected promise marks the task failed on the board and nothing else: retries belong
 * to the database. The signal aborts when the task's lock is lost, since another worker may then have taken it.
 */
export type TaskHandler = (task: Task, signal: AbortSignal) => Promise<void>

export type Queues = {
  /** Adds the tasks in one round trip. */
  enqueue(queue: QueueName, tasks: readonly Task[]): Promise<void>
  consume(queue: QueueName, handler: TaskHandler, options: ConsumeOptions): Consumer
  counts(): Promise<QueueState[]>
  /**
   * Names the contents of the queues: another name than before means that tasks may be lost, since Redis was restarted,
   * replaced or wiped. PostgreSQL loses none and always gives the same name.
   */
  incarnation(): Promise<string>
  close(): Promise<void>
}
