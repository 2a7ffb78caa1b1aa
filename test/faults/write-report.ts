import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import type { ScenarioReport } from './run-scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'

const page = new URL('../../docs/faults.md', import.meta.url)
const section = /(<!-- scenarios -->\n)[\s\S]*(<!-- \/scenarios -->)/

/** The results of all scenarios, and how long they took together. */
export type FullRun = { reports: readonly ScenarioReport[]; minutes: number }

/** Writes the scenarios and their results into docs/faults.md. */
export async function writeReport(
  scenarios: readonly Scenario[],
  { reports, minutes }: FullRun,
): Promise<void> {
  const parts = [renderScenarioTable(scenarios), '', renderRun({ reports, minutes }, cpus().length)]
  const text = parts.join('\n')
  await writeFile(page, (await readFile(page, 'utf8')).replace(section, `$1\n${text}\n\n$2`))
}

/** Renders the fault of each scenario and what must hold. */
export function renderScenarioTable(scenarios: readonly Scenario[]): string {
  return renderTable(
    ['scenario', 'fault', 'what must hold'],
    scenarios.map(({ number, name, holds }) => [String(number), name, holds]),
  )
}

function renderRun({ reports, minutes }: FullRun, cores: number): string {
  const ran = reports.filter((report) => report.kind === 'ran')
  const skipped = reports.filter((report) => report.kind === 'skipped')
  return [
    `The last full run, with seed ${reports[0]?.seed ?? 'none'} on ${cores} cores, took ${minutes} minutes. The last column is how long after the`,
    'last blow the last letter that was accepted before it was despatched.',
    '',
    renderTable(
      [
        'scenario',
        'queues',
        'accepted',
        'despatched',
        'callbacks',
        'blows',
        'findings',
        'recovered',
      ],
      ran.map(({ number, queue, counts, findings, recoverySeconds }) => [
        String(number),
        queue,
        ...['accepted', 'despatched', 'callbacks', 'blows'].map((of) => String(counts[of] ?? 0)),
        findings.length === 0 ? 'none' : String(findings.length),
        `${recoverySeconds} s`,
      ]),
    ),
    ...skipped.map(
      ({ number, queue, reason }) => `\nSkipped: ${number} on ${queue}, since ${reason}.`,
    ),
  ].join('\n')
}

/** Renders a Markdown table with aligned columns. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]!.length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
