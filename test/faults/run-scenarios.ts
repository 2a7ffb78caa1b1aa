import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './checks/finding.ts'
import { startDatabaseServer } from './ground/database-server.ts'
import { type RunOptions, runUnderFaults } from './run-under-faults.ts'
import { planOf, type Scenario } from './scenarios/scenario.ts'

/** The result of one scenario on one queue backend. */
export type ScenarioReport = {
  number: number
  name: string
  queue: 'postgres' | 'redis'
  seed: number
  seconds: number
} & (
  | { kind: 'ran'; findings: Finding[]; counts: Record<string, number>; recoverySeconds: number }
  | { kind: 'skipped'; reason: string }
)

export type ScenariosOptions = Omit<RunOptions, 'server' | 'queue'> & {
  queues: readonly ('postgres' | 'redis')[]
  /** Called after each scenario. */
  onReport(report: ScenarioReport): void
}

/** A scenario mostly waits, so two at a time keep two processors busy. */
const lanesMax = 2

/**
 * Runs scenarios, two at a time. Each has its own database, object store and processes. A scenario that touches no
 * queue runs once, with its queues on PostgreSQL if that backend is requested. Returns the reports in the order of the
 * scenarios. If a scenario throws, no other begins, and the error is thrown.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { queues, onReport, ...options }: ScenariosOptions,
): Promise<ScenarioReport[]> {
  const runs = scenarios.flatMap((scenario) =>
    queuesOf(scenario, queues).map((queue) => ({ scenario, queue })),
  )
  const reports: ScenarioReport[] = []
  let next = 0

  async function runLane(): Promise<void> {
    // Each lane has its own server: a scenario may crash it, which must not affect the other lane.
    await using server = await startDatabaseServer()
    while (next < runs.length) {
      const place = next++
      const { scenario, queue } = runs[place]!
      try {
        options.signal?.throwIfAborted()
        const report = await runOne(scenario, { ...options, queue, server })
        reports[place] = report
        onReport(report)
      } catch (error) {
        next = runs.length
        throw error
      }
    }
  }

  const lanes = Array.from({ length: Math.min(lanesMax, runs.length) }, runLane)
  await Promise.allSettled(lanes)
  await Promise.all(lanes)
  return reports
}

function queuesOf({ queues }: Scenario, wanted: readonly ('postgres' | 'redis')[]) {
  if (queues === 'each') return wanted
  if (queues === 'redis') return wanted.filter((queue) => queue === 'redis')
  return wanted.slice(0, 1)
}

async function runOne(scenario: Scenario, options: RunOptions): Promise<ScenarioReport> {
  const { number, name } = scenario
  const { queue, seed } = options
  const tell = (line: string) => options.tell(`${number} ${queue}: ${line}`)
  const startedAt = performance.now()
  const about = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    return { number, name, queue, seed, seconds }
  }
  tell(name)
  const reason = await scenario.lacks?.()
  if (reason !== undefined) return { ...about(), kind: 'skipped', reason }
  const records = join(options.records, `${String(number).padStart(2, '0')}-${queue}`)
  await mkdir(records, { recursive: true })
  const own = await scenario.startServer?.()
  await using parts = new AsyncDisposableStack()
  const server = own ? parts.use(own) : options.server
  const report = await runUnderFaults(planOf(scenario), { ...options, server, records, tell })
  return { ...about(), kind: 'ran', ...report }
}
