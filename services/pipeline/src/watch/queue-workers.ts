import { rampedConcurrency } from '@despatch/domain/outage/breaker'
import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Consumer, QueueName } from '@despatch/queue/queues'
import type { Outages } from './outages.ts'

/** The worker of one queue, with the dependencies that each of its tasks requires. */
export type QueueWorker = {
  queue: QueueName
  consumer: Pick<Consumer, 'limit'>
  needs: readonly Dependency[]
  concurrency: number
}

type SteerOptions = {
  workers: readonly QueueWorker[]
  outages: Pick<Outages, 'watches'>
  isClockRight: () => boolean
  clock?: () => number
}

export type SteeredWorkers = {
  /** Pauses and resumes the workers as required. Call it on every change, and at least every half second. */
  update(): void
  isPaused(queue: QueueName): boolean
}

/**
 * Steers the workers of this process. Each is paused while a dependency of all its tasks is away or the clock is
 * wrong. It then resumes with few tasks first.
 */
export function steerWorkers({
  workers,
  outages,
  isClockRight,
  clock = () => performance.now(),
}: SteerOptions): SteeredWorkers {
  const states = workers.map((worker) => ({
    ...worker,
    limit: worker.concurrency,
    fromMs: -Infinity,
  }))
  const update = () => {
    const nowMs = clock()
    for (const worker of states) {
      const needed = outages.watches.filter(({ dependency }) => worker.needs.includes(dependency))
      const mayWork = isClockRight() && needed.every((watch) => watch.isUp())
      // while a dependency is on trial, the worker starts again with few tasks, so that one task decides
      const isFresh = worker.limit === 0 || needed.some((watch) => watch.isHalfOpen())
      if (mayWork && isFresh) worker.fromMs = nowMs
      const limit = mayWork ? rampedConcurrency(nowMs - worker.fromMs, worker.concurrency) : 0
      if (limit !== worker.limit) worker.consumer.limit(limit)
      worker.limit = limit
    }
  }
  return {
    update,
    isPaused: (queue) => states.some((worker) => worker.queue === queue && worker.limit === 0),
  }
}
