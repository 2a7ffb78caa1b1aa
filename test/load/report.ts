import type { Settings } from './command-line.ts'
import { type Comparison, type Figure, type Measure, ratiosOf } from './comparison.ts'
import type { Machine } from './machine.ts'
import { spread } from './statistics.ts'

export type Report = { settings: Settings; machine: Machine; comparisons: readonly Comparison[] }

/** Renders the report as text: a table for each comparison, with the median, minimum and maximum of the rounds. */
export function renderReport({ settings, machine, comparisons }: Report): string {
  const { cores, processor, node, postgres, loadBefore } = machine
  return [
    `${settings.subject}: medians of ${settings.rounds} rounds (least to greatest), the sides in turn`,
    `${cores} cores of ${processor}, Node ${node}, PostgreSQL ${postgres}, load before ${loadBefore.toFixed(1)}`,
    ...comparisons.flatMap(renderComparison),
    '',
  ].join('\n')
}

function renderComparison(comparison: Comparison): string[] {
  const { scenario, rival, measures, figures = [], notes } = comparison
  const heading = [scenario, 'ours', rival, 'ratio', 'target']
  return [
    '',
    ...alignColumns([heading, ...measures.map(renderMeasure), ...figures.map(renderFigure)]),
    ...notes.map((note) => `  ${note}`),
  ]
}

function renderMeasure(measure: Measure): string[] {
  const { name, ours, theirs, target } = measure
  return [
    `  ${name}`,
    renderSpread(ours),
    renderSpread(theirs),
    renderSpread(ratiosOf(measure)),
    target ? renderTarget(target.sense, target.ratio, spread(ratiosOf(measure)).median) : '',
  ]
}

function renderFigure({ name, ours, target }: Figure): string[] {
  const reached = spread(ours).median
  return [
    `  ${name}`,
    renderSpread(ours),
    '',
    '',
    target ? renderTarget(target.sense, target.figure, reached) : '',
  ]
}

function renderTarget(sense: 'at least' | 'at most', wanted: number, reached: number): string {
  const isReached = sense === 'at least' ? reached >= wanted : reached <= wanted
  return `${sense} ${wanted}: ${isReached ? 'reached' : 'missed'}`
}

function renderSpread(figures: readonly number[]): string {
  const { median, min, max } = spread(figures)
  return `${render(median)} (${render(min)} to ${render(max)})`
}

function render(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString('en-GB') : figure.toFixed(2)
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('   ')
      .trimEnd(),
  )
}
