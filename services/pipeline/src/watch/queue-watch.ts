import type { QueueState } from '@despatch/queue/queues'
import { within } from '@despatch/queue/within'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'

type QueueWatchOptions = {
  counts: () => Promise<readonly QueueState[]>
  registry: Registry
  /** Milliseconds of a clock that is never set. */
  clock?: () => number
}

const answerMsMax = 1_000
/** The sweep, the health check and each metrics scrape share a reading for this time, which saves queries. */
const keptMs = 2_000

/**
 * Returns a function that reads the state of the queues, at most two seconds old. It throws if the queues do not answer
 * in time. Also registers a metric that shows which queues are paused.
 */
export function watchQueues({
  counts,
  registry,
  clock = () => performance.now(),
}: QueueWatchOptions): () => Promise<readonly QueueState[]> {
  let kept: { states: Promise<readonly QueueState[]>; untilMs: number } | undefined

  const read = () => {
    const nowMs = clock()
    if (kept && nowMs < kept.untilMs) return kept.states
    const states = within(answerMsMax, counts())
    const reading = { states, untilMs: nowMs + keptMs }
    kept = reading
    states.catch(() => {
      if (kept === reading) kept = undefined
    })
    return states
  }

  new Gauge({
    name: 'queue_paused',
    help: '1 while the queue is paused by an operator: its workers take no tasks',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      const states = await read().catch(() => [])
      this.reset()
      for (const { name, isPaused } of states) this.set({ queue: name }, isPaused ? 1 : 0)
    },
  })
  return read
}
