import type { HealthCheck } from '@despatch/http/health'
import type { QueueName, QueueState } from '@despatch/queue/queues'
import { Gauge, Histogram, type Registry } from '@despatch/telemetry/metrics'
import type { BatchWait } from '@despatch/work/batch-lease'

/** Watches the workers of the queues: what they do, and whether they take tasks while tasks are waiting. */
export type WorkerWatch = {
  /** Runs the work of a task. */
  run<Result>(queue: QueueName, work: () => Promise<Result>): Promise<Result>
  /** Records that a letter has passed a stage, and how long that took. */
  noteStage(stage: string, outcome: string, durationMs: number): void
  /** Records how long a batch waited for a worker. */
  noteWait(wait: BatchWait): void
  /** Returns one check for each queue. If a queue does not answer, its worker is not at fault. */
  health(): Promise<HealthCheck[]>
  /** Like `health`, but fails only for workers that have stood still so long that only a restart helps. */
  alive(): Promise<HealthCheck[]>
}

type WorkerWatchOptions = {
  names: readonly QueueName[]
  registry: Registry
  /** Must answer within about a second, or throw. */
  queues: () => Promise<readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[]>
  now: () => Date
}

type Standing = { running: number; activeAtMs: number; waitingSinceMs: number | undefined }

/** A free worker takes a task within milliseconds, and no task takes minutes. */
const standstillMsMax = 120_000
const stuckMsMax = 10 * 60_000
const waitBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]
const durationBucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function watchWorkers({ names, registry, queues, now }: WorkerWatchOptions): WorkerWatch {
  const standings = new Map<QueueName, Standing>(
    names.map((name) => [
      name,
      { running: 0, activeAtMs: now().getTime(), waitingSinceMs: undefined },
    ]),
  )
  const durations = new Histogram({
    name: 'stage_duration_seconds',
    help: 'Time that a pipeline stage took for a print job, by outcome; error: its outcome could not be committed',
    labelNames: ['stage', 'outcome'],
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  const waits = new Histogram({
    name: 'batch_wait_seconds',
    help: 'How long the oldest letter of a batch waited for a worker; first: the first letters of consumers that had none waiting, and canaries',
    labelNames: ['lane', 'first'],
    buckets: waitBucketsSeconds,
    registers: [registry],
  })
  const running = new Gauge({
    name: 'worker_tasks_running',
    help: 'Tasks that the workers of a queue are processing: batches of letters',
    labelNames: ['queue'],
    registers: [registry],
  })
  for (const queue of names) running.set({ queue }, 0)

  const lookForStandstill = async (): Promise<Map<QueueName, number | undefined>> => {
    // tasks in a paused queue wait on purpose
    const waiting = new Map(
      (await queues()).map(({ name, isPaused, waiting }) => [name, isPaused ? 0 : waiting]),
    )
    const nowMs = now().getTime()
    return new Map(
      names.map((name) => {
        const standing = standings.get(name)!
        standing.waitingSinceMs = waitingSince(standing, (waiting.get(name) ?? 0) > 0, nowMs)
        const standstillMs = nowMs - (standing.waitingSinceMs ?? nowMs)
        return [name, standstillMs > standstillMsMax ? standstillMs : undefined]
      }),
    )
  }
  new Gauge({
    name: 'workers_alive',
    help: '0 if tasks of the queue wait and its workers have neither started nor finished one for two minutes',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      const standstills = await lookForStandstill().catch(() => undefined)
      this.reset()
      for (const [queue, standstillMs] of standstills ?? []) {
        this.set({ queue }, standstillMs === undefined ? 1 : 0)
      }
    },
  })

  return {
    run: async (queue, work) => {
      const standing = standings.get(queue)!
      const change = (by: 1 | -1) => {
        standing.running += by
        standing.activeAtMs = now().getTime()
        running.set({ queue }, standing.running)
      }
      change(1)
      try {
        return await work()
      } finally {
        change(-1)
      }
    },
    noteWait: ({ lane, isFirst, seconds }) =>
      waits.observe({ lane, first: String(isFirst) }, seconds),
    noteStage: (stage, outcome, durationMs) =>
      durations.observe({ stage, outcome }, durationMs / 1000),
    health: () => judge(0),
    alive: () => judge(stuckMsMax),
  }

  async function judge(longerThanMs: number): Promise<HealthCheck[]> {
    const standstills = await lookForStandstill().catch(() => new Map<QueueName, undefined>())
    return names.map((queue) => {
      const name = `worker ${queue}`
      const standstillMs = standstills.get(queue) ?? 0
      if (standstillMs <= longerThanMs) return { name, ok: true }
      const seconds = Math.round(standstillMs / 1000)
      return {
        name,
        ok: false,
        reason: `tasks are waiting and none was processed for ${seconds} s`,
      }
    })
  }
}

/** Returns since when tasks have been waiting while the worker takes none; undefined if they have not. */
function waitingSince(
  { activeAtMs, waitingSinceMs }: Standing,
  isWaiting: boolean,
  nowMs: number,
): number | undefined {
  if (!isWaiting) return undefined
  if (waitingSinceMs === undefined) return nowMs
  return Math.max(waitingSinceMs, activeAtMs)
}
