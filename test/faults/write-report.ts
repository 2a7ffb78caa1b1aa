import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import type { ScenarioReport } from './run-scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'

const page = new URL('../../docs/faults.md', import.meta.url)
const section = /(<!-- scenarios -->\n)[\s\S]*(<!-- \/scenarios -->)/

/** The results of scenarios, and how long they took together. `isFull` means that every scenario ran on both carriers. */
export type ScenariosRun = {
  reports: readonly ScenarioReport[]
  minutes: number
  isFull: boolean
}

/**
 * Writes the scenarios and their results into docs/faults.md. A row stays until its scenario runs again on the same
 * carrier of the queues.
 */
export async function writeReport(
  scenarios: readonly Scenario[],
  run: ScenariosRun,
): Promise<void> {
  const before = await readFile(page, 'utf8')
  const numbers = new Set(scenarios.map(({ number }) => number))
  const rows = mergeRows(readRows(before), run.reports).filter(([number]) => numbers.has(+number!))
  const took = run.isFull
    ? `All of them took ${run.minutes} minutes on ${cpus().length} cores.`
    : (durationPattern.exec(before)?.[0] ?? '')
  const text = [
    renderScenarioList(scenarios),
    '',
    `Each row is the last run of a scenario. ${took} \`recovered\` is the time from the end of`,
    'the last fault until the last letter accepted before it was despatched.',
    '',
    renderTable(heads, rows),
  ].join('\n')
  await writeFile(page, before.replace(section, `$1\n${text}\n\n$2`))
}

const durationPattern = /All of them took \d+ minutes on \d+ cores\./
const heads = [
  'scenario',
  'queues',
  'seed',
  'accepted',
  'despatched',
  'callbacks',
  'faults',
  'findings',
  'recovered',
]

type Row = readonly string[]

/** Reads the rows that the page has. */
export function readRows(text: string): Row[] {
  const lines = text.match(/^\| \d+ +\| (postgres|redis) .*$/gm) ?? []
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Replaces earlier rows with those of later runs, in the order of the scenarios. A skipped scenario keeps its row. */
export function mergeRows(earlier: readonly Row[], reports: readonly ScenarioReport[]): Row[] {
  const later = reports.filter((report) => report.kind === 'ran').map(renderRow)
  const byPlace = new Map([...earlier, ...later].map((row) => [`${row[0]} ${row[1]}`, row]))
  return [...byPlace.values()].toSorted(
    (one, other) =>
      Number(one[0]) - Number(other[0]) || (one[1]! < other[1]! ? -1 : Number(one[1] !== other[1])),
  )
}

function renderRow({
  number,
  queue,
  seed,
  counts,
  findings,
  recoverySeconds,
}: Extract<ScenarioReport, { kind: 'ran' }>): Row {
  return [
    String(number),
    queue,
    String(seed),
    ...['accepted', 'despatched', 'callbacks', 'blows'].map((of) => String(counts[of] ?? 0)),
    findings.length === 0 ? 'none' : String(findings.length),
    `${recoverySeconds} s`,
  ]
}

/** Renders the fault of each scenario and what must hold. */
export function renderScenarioList(scenarios: readonly Scenario[]): string {
  return scenarios
    .map(({ number, name, holds }) => `- **${number}**: ${name}\n  - must hold: ${holds}`)
    .join('\n')
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
