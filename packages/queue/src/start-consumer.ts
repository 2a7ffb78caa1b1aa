import { type Job, MetricsTime, type Worker } from 'bullmq'
import type { Backend } from './backend.ts'
import type { ConsumeOptions, Consumer, QueueName, Task, TaskHandler } from './queues.ts'
import { within } from './within.ts'

/** How long a worker may hold a task without renewing its lock, and how often tasks of dead workers are looked for. */
export type QueueTimings = { lockDurationMs: number; stalledIntervalMs: number }

export const defaultTimings: QueueTimings = { lockDurationMs: 15_000, stalledIntervalMs: 5_000 }
/** A worker that dies several times in a row must not fail the task, because the database counts the starts itself. */
const stalledCountMax = 5
const restartMs = 1_000
/** BullMQ counts the batches of each minute. */
const metrics = { maxDataPoints: MetricsTime.TWO_WEEKS }

type StartOptions = ConsumeOptions & {
  timings: QueueTimings
  /** How long closing the carrier may take once the tasks under way have ended, in milliseconds. */
  closeMsMax: number
}

/**
 * Starts a worker of the queue. A worker whose first connection fails is replaced, because BullMQ would fail everything
 * that it does afterwards for the same reason.
 */
export function startConsumer(
  backend: Backend,
  name: QueueName,
  handler: TaskHandler,
  { concurrency, onError, timings, closeMsMax }: StartOptions,
): Consumer {
  /** The tasks under way, with their ids. After a lost lock, a worker may have the same task twice. */
  const inHand = new Map<Promise<unknown>, string | undefined>()
  let isClosing = false
  let isClosed = false
  let restart: NodeJS.Timeout | undefined
  let atOnce = concurrency
  let worker = start()

  function start(): Worker<Task, unknown> {
    const started = backend.worker(name, (job, _token, signal) => run(job, signal), {
      concurrency,
      lockDuration: timings.lockDurationMs,
      stalledInterval: timings.stalledIntervalMs,
      maxStalledCount: stalledCountMax,
      metrics,
    })
    started.on('error', (error) => {
      // A connection may outlive its closed worker. Its errors no longer matter.
      if (!isClosed && !isOfEndedTask(error)) onError(error)
    })
    started.on('lockRenewalFailed', (ids: string[]) => {
      for (const id of ids) started.cancelJob(id, 'lock lost')
    })
    started.waitUntilReady().catch(() => {
      if (isClosing) return
      void started.close().catch(() => {})
      restart = setTimeout(() => {
        worker = start()
        limitTo(atOnce)
      }, restartMs)
    })
    return started
  }

  /** A task may end, which gives up its lock, while the renewal of the lock is under way. That is no fault. */
  function isOfEndedTask({ message }: Error): boolean {
    const [, id] = /^could not renew lock for job (.+)$/.exec(message) ?? []
    return id !== undefined && ![...inHand.values()].includes(id)
  }

  function run(job: Job<Task>, signal = new AbortController().signal): Promise<unknown> {
    const done = handler(job.data, signal, (text) => job.updateProgress(text))
    inHand.set(done, job.id)
    const forget = () => void inHand.delete(done)
    done.then(forget, forget)
    return done
  }

  function limitTo(limit: number): void {
    atOnce = limit
    if (limit > 0) worker.concurrency = limit
    if (limit > 0 === !worker.isPaused()) return
    // Does not wait for the tasks under way, which may last as long as the reason for the pause.
    const changed = limit > 0 ? worker.resume() : worker.pause(true)
    changed.catch(onError)
  }

  return {
    limit: limitTo,
    close: async () => {
      isClosing = true
      clearTimeout(restart)
      const closed = worker.close()
      await Promise.allSettled(inHand.keys())
      // An unavailable carrier either records the end of a task once it is back or starts the task again. Both are
      // harmless.
      await within(closeMsMax, closed).catch(() => {})
      isClosed = true
    },
  }
}
