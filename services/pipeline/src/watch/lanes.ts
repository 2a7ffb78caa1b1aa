import { rampedConcurrency } from '@despatch/domain/outage/breaker'
import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Consumer, QueueName } from '@despatch/queue/queues'
import type { Outages } from './outages.ts'

/** The worker of one queue, with the dependencies that each of its tasks requires. */
export type Lane = {
  queue: QueueName
  consumer: Pick<Consumer, 'limit'>
  needs: readonly Dependency[]
  concurrency: number
}

type LanesOptions = {
  lanes: readonly Lane[]
  outages: Pick<Outages, 'watches'>
  isClockRight: () => boolean
  clock?: () => number
}

export type Lanes = {
  /** Pauses and resumes the lanes as required. Call it on every change, and at least every half second. */
  update(): void
  isPaused(queue: QueueName): boolean
}

/**
 * Returns the lanes of this process. Each lane is paused while a dependency of all its tasks is away or the clock is
 * wrong. It then resumes with few tasks first.
 */
export function createLanes({
  lanes,
  outages,
  isClockRight,
  clock = () => performance.now(),
}: LanesOptions): Lanes {
  const states = lanes.map((lane) => ({ ...lane, limit: lane.concurrency, fromMs: -Infinity }))
  const update = () => {
    const nowMs = clock()
    for (const lane of states) {
      const needed = outages.watches.filter(({ dependency }) => lane.needs.includes(dependency))
      const mayWork = isClockRight() && needed.every((watch) => watch.isUp())
      // while a dependency is on trial, the lane starts again with few tasks, so that one task decides
      const isFresh = lane.limit === 0 || needed.some((watch) => watch.isHalfOpen())
      if (mayWork && isFresh) lane.fromMs = nowMs
      const limit = mayWork ? rampedConcurrency(nowMs - lane.fromMs, lane.concurrency) : 0
      if (limit !== lane.limit) lane.consumer.limit(limit)
      lane.limit = limit
    }
  }
  return {
    update,
    isPaused: (queue) => states.some((lane) => lane.queue === queue && lane.limit === 0),
  }
}
