import type { HealthCheck } from '@despatch/http/health'
import type { QueueName, QueueState } from '@despatch/queue/queues'
import { Gauge, Histogram, type Registry } from '@despatch/telemetry/metrics'

/** Watches the workers of the stages: what they do, and whether they take tasks while tasks are waiting. */
export type StageWatch = {
  /** Runs the work of a task. The work returns its outcome. */
  run(stage: QueueName, work: () => Promise<string>): Promise<void>
  /** Returns one check for each stage. If a queue does not answer, its worker is not at fault. */
  health(): Promise<HealthCheck[]>
  /** Like `health`, but fails only for workers that have stood still so long that only a restart helps. */
  alive(): Promise<HealthCheck[]>
}

export type StageWatchOptions = {
  stages: readonly QueueName[]
  registry: Registry
  /** Must answer within about a second, or throw. */
  queues: () => Promise<readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[]>
  now: () => Date
}

type Standing = { running: number; activeAtMs: number; waitingSinceMs: number | undefined }

/** A free worker takes a task within milliseconds, and no task takes minutes. */
const standstillMsMax = 120_000
const stuckMsMax = 10 * 60_000
const durationBucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function watchStages({ stages, registry, queues, now }: StageWatchOptions): StageWatch {
  const standings = new Map<QueueName, Standing>(
    stages.map((stage) => [
      stage,
      { running: 0, activeAtMs: now().getTime(), waitingSinceMs: undefined },
    ]),
  )
  const durations = new Histogram({
    name: 'stage_duration_seconds',
    help: 'Time that a pipeline stage took for a print job, by outcome; nothing: it had already moved on; error: the step could not be leased or committed',
    labelNames: ['stage', 'outcome'],
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  const running = new Gauge({
    name: 'stage_tasks_running',
    help: 'Tasks that the workers of a stage are processing',
    labelNames: ['stage'],
    registers: [registry],
  })
  for (const stage of stages) running.set({ stage }, 0)

  const lookForStandstill = async (): Promise<Map<QueueName, number | undefined>> => {
    // tasks in a paused queue wait on purpose
    const waiting = new Map(
      (await queues()).map(({ name, isPaused, waiting }) => [name, isPaused ? 0 : waiting]),
    )
    const nowMs = now().getTime()
    return new Map(
      stages.map((stage) => {
        const standing = standings.get(stage)!
        standing.waitingSinceMs = waitingSince(standing, (waiting.get(stage) ?? 0) > 0, nowMs)
        const standstillMs = nowMs - (standing.waitingSinceMs ?? nowMs)
        return [stage, standstillMs > standstillMsMax ? standstillMs : undefined]
      }),
    )
  }
  new Gauge({
    name: 'stage_workers_alive',
    help: '0 if tasks of the stage wait and its workers have neither started nor finished one for two minutes',
    labelNames: ['stage'],
    registers: [registry],
    async collect() {
      const standstills = await lookForStandstill().catch(() => undefined)
      this.reset()
      for (const [stage, standstillMs] of standstills ?? []) {
        this.set({ stage }, standstillMs === undefined ? 1 : 0)
      }
    },
  })

  return {
    run: async (stage, work) => {
      const standing = standings.get(stage)!
      const change = (by: 1 | -1) => {
        standing.running += by
        standing.activeAtMs = now().getTime()
        running.set({ stage }, standing.running)
      }
      change(1)
      const startedAt = performance.now()
      let outcome = 'error'
      try {
        outcome = await work()
      } finally {
        durations.observe({ stage, outcome }, (performance.now() - startedAt) / 1000)
        change(-1)
      }
    },
    health: () => judge(0),
    alive: () => judge(stuckMsMax),
  }

  async function judge(longerThanMs: number): Promise<HealthCheck[]> {
    const standstills = await lookForStandstill().catch(() => new Map<QueueName, undefined>())
    return stages.map((stage) => {
      const name = `worker ${stage}`
      const standstillMs = standstills.get(stage) ?? 0
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
