import { rampedConcurrency } from '@despatch/domain/outage/breaker'
import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Consumer, QueueName } from '@despatch/queue/queues'
import type { Outages } from './outages.ts'

/** A consumer with what every one of its tasks needs. */
export type Lane = {
  queue: QueueName
  consumer: Pick<Consumer, 'limit'>
  needs: readonly Dependency[]
  concurrency: number
}

export type LanesOptions = {
  lanes: readonly Lane[]
  outages: Pick<Outages, 'watches'>
  isClockRight: () => boolean
  clock?: () => number
}

export type Lanes = {
  /** Pauses and resumes as is due. Call it on every change, and at least every half second. */
  update(): void
  isPaused(queue: QueueName): boolean
}

/**
 * The lanes of this process: each is paused while something that all of its tasks need is away, or while the clock is off,
 * and then goes on with few tasks first.
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
      // on trial, one task decides
      const isFresh = lane.limit === 0 || needed.some((watch) => watch.isOnTrial())
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
