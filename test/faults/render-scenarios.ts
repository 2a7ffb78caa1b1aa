import type { Finding } from './checks/finding.ts'
import type { ScenarioReport } from './run-scenarios.ts'

/** The limit for each rule. */
const findingsReportedMax = 5

/** Renders one line for the scenario, and one for each finding. */
export function renderScenario(report: ScenarioReport): string {
  const { number, queue, seed, seconds, name } = report
  const what = `scenario ${number} on ${queue}`
  if (report.kind === 'skipped') return `SKIPPED ${what}: ${report.reason}\n`
  const { findings, counts, recoverySeconds } = report
  const verdict = findings.length === 0 ? 'PASSED' : 'FAILED'
  const figures = Object.entries(counts).map(([of, count]) => `${count} ${of}`)
  const first = `${verdict} ${what} (${name}): seed ${seed}, ${seconds} s, recovered in ${recoverySeconds} s, ${figures.join(', ')}`
  return `${[first, ...renderFindings(findings)].join('\n')}\n`
}

/** Renders the first findings of each rule, and the number of the others. */
export function renderFindings(findings: readonly Finding[]): string[] {
  return [...Map.groupBy(findings, ({ rule }) => rule).values()].flatMap((of) => [
    ...of
      .slice(0, findingsReportedMax)
      .map(({ rule, subject, detail }) => `  not so: ${rule}: ${subject} ${detail}`),
    ...(of.length > findingsReportedMax
      ? [`  and ${of.length - findingsReportedMax} more like it`]
      : []),
  ])
}
