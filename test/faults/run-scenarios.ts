import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './checks/finding.ts'
import { startDatabaseServer } from './ground/database-server.ts'
import { type RunOptions, runUnderFaults } from './run-under-faults.ts'
import { planOf, type Scenario } from './scenarios/scenario.ts'

/** What came of one scenario on one carrier of the queues. */
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
  /** Called as soon as one is over. */
  onReport(report: ScenarioReport): void
}

/**
 * Runs scenarios one after another on one PostgreSQL, each on a database, an object store and processes of its own. A scenario
 * that touches no queue runs once, with its queues on PostgreSQL if that is asked for.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { queues, onReport, ...options }: ScenariosOptions,
): Promise<ScenarioReport[]> {
  await using server = await startDatabaseServer()
  const reports: ScenarioReport[] = []
  for (const scenario of scenarios) {
    for (const queue of queuesOf(scenario, queues)) {
      options.signal?.throwIfAborted()
      const report = await runOne(scenario, { ...options, queue, server })
      reports.push(report)
      onReport(report)
    }
  }
  return reports
}

function queuesOf({ queues }: Scenario, wanted: readonly ('postgres' | 'redis')[]) {
  if (queues === 'each') return wanted
  if (queues === 'redis') return wanted.filter((queue) => queue === 'redis')
  return wanted.slice(0, 1)
}

async function runOne(scenario: Scenario, options: RunOptions): Promise<ScenarioReport> {
  const { number, name } = scenario
  const { queue, seed, tell } = options
  const startedAt = performance.now()
  const about = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    return { number, name, queue, seed, seconds }
  }
  tell(`scenario ${number} on ${queue}: ${name}`)
  const reason = await scenario.lacks?.()
  if (reason !== undefined) return { ...about(), kind: 'skipped', reason }
  const records = join(options.records, `${String(number).padStart(2, '0')}-${queue}`)
  await mkdir(records, { recursive: true })
  const own = await scenario.startServer?.()
  await using parts = new AsyncDisposableStack()
  const server = own ? parts.use(own) : options.server
  const report = await runUnderFaults(planOf(scenario), { ...options, server, records })
  return { ...about(), kind: 'ran', ...report }
}
