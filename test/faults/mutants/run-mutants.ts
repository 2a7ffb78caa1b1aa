import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Finding } from '../checks/finding.ts'
import type { ScenarioReport } from '../run-scenarios.ts'
import type { Mutant } from './mutants.ts'
import { copyTree } from './mutated-tree.ts'

/** `survived`: the scenario found nothing. `broke`: the scenario reached no verdict. */
export type MutantReport = { mutant: Mutant; seconds: number } & (
  | { kind: 'found'; rules: string[] }
  | { kind: 'survived' }
  | { kind: 'broke'; detail: string }
)

export type MutantsOptions = {
  queue: 'postgres' | 'redis'
  seed: number
  signal: AbortSignal
  tell(line: string): void
  /** Called after each mutant. */
  onReport(report: MutantReport): void
}

/** A scenario that takes longer than this reaches no verdict. */
const scenarioMsMax = 240_000
const outputBytesMax = 64 * 1_024 * 1_024

/**
 * Breaks a copy of this tree in one place after another, and runs the scenario that must find the break. A mutant that
 * survives shows a protection that no scenario checks.
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { signal, tell, onReport, ...given }: MutantsOptions,
): Promise<MutantReport[]> {
  await using tree = await copyTree()
  const reports: MutantReport[] = []
  for (const mutant of mutants) {
    signal.throwIfAborted()
    tell(`scenario ${mutant.scenario}, while ${mutant.name}`)
    const startedAt = performance.now()
    const verdict = await tree.during(mutant, () =>
      runScenario(tree.directory, mutant, { ...given, signal }),
    )
    const report = {
      mutant,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      ...verdict,
    }
    reports.push(report)
    onReport(report)
  }
  return reports
}

type Verdict =
  | { kind: 'found'; rules: string[] }
  | { kind: 'survived' }
  | { kind: 'broke'; detail: string }

async function runScenario(
  directory: string,
  { scenario }: Mutant,
  { queue, seed, signal }: Pick<MutantsOptions, 'queue' | 'seed' | 'signal'>,
): Promise<Verdict> {
  const flags = ['--only', String(scenario), '--queue', queue, '--seed', String(seed), '--json']
  const { stdout, stderr } = await run(directory, flags, signal)
  signal.throwIfAborted()
  const findings = readFindings(stdout)
  if (!findings) return { kind: 'broke', detail: stderr.trim().split('\n').slice(-5).join('\n') }
  if (findings.length === 0) return { kind: 'survived' }
  return { kind: 'found', rules: [...new Set(findings.map(({ rule }) => rule))] }
}

function run(directory: string, flags: readonly string[], signal: AbortSignal) {
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(directory, 'test/faults/faults.ts'), ...flags],
      { cwd: directory, timeout: scenarioMsMax, maxBuffer: outputBytesMax, signal },
      (_, stdout, stderr) => resolve({ stdout, stderr }),
    )
  })
}

function readFindings(stdout: string): Finding[] | undefined {
  try {
    const { reports } = JSON.parse(stdout) as { reports: ScenarioReport[] }
    return reports.flatMap((report) => (report.kind === 'ran' ? report.findings : []))
  } catch {
    return undefined
  }
}

/** Renders one line: `FOUND     21 s  a move owes no callback: each status owes one callback`. */
export function renderMutant(report: MutantReport): string {
  const { mutant, seconds } = report
  const detail =
    report.kind === 'found'
      ? `: ${report.rules.join(', ')}`
      : report.kind === 'broke'
        ? `: scenario ${mutant.scenario} came to no verdict\n${report.detail}`
        : `: scenario ${mutant.scenario} noticed nothing`
  return `${report.kind.toUpperCase().padEnd(9)} ${String(seconds).padStart(3)} s  ${mutant.name}${detail}\n`
}
