import { countOf } from '../count-of.ts'
import type { CommandOutput } from '../program.ts'
import { renderRows } from '../table.ts'

/** What a run has done with the rows of a file. */
export type Tally = {
  rows: number
  /** Letters that this run has submitted. */
  submitted: number
  submittedBefore: number
  /** Letters that would be accepted, by the dry run. */
  acceptable: number
  refused: number
  /** The first refusals. */
  refusals: { row: number; why: string }[]
}

const refusalsMax = 100
const refusalsShownMax = 20

export function createTally(): Tally {
  return { rows: 0, submitted: 0, submittedBefore: 0, acceptable: 0, refused: 0, refusals: [] }
}

export function addRefusal(tally: Tally, row: number, why: string): void {
  tally.refused += 1
  if (tally.refusals.length < refusalsMax) tally.refusals.push({ row, why })
}

type Rendered = {
  /** Path of the file of results. */
  results: string
  /** Whether letters were submitted, unless there were none. */
  hasSubmitted: boolean
  isDryRun: boolean
}

/** Exit code if some rows are refused, and others were submitted. */
const refusedExitCode = 3

/** Renders the result of a run, with the first refusals. */
export function renderLetters(
  tally: Tally,
  { results, hasSubmitted, isDryRun }: Rendered,
): CommandOutput {
  const { rows, submitted, submittedBefore, acceptable, refused } = tally
  const refusals = tally.refusals.toSorted((one, other) => one.row - other.row)
  const parts = [
    hasSubmitted
      ? `${countOf(submitted, 'letter')} submitted`
      : `${countOf(acceptable, 'letter')} would be accepted`,
    ...(submittedBefore > 0 ? [`${submittedBefore} submitted before`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ]
  const lines = [`${countOf(rows, 'row')}: ${parts.join(', ')}. Results: ${results}`]
  if (!hasSubmitted && !isDryRun) {
    lines.push('Nothing was submitted. Correct the rows, or submit the others with --skip-refused.')
  }
  if (hasSubmitted && submittedBefore === rows) {
    lines.push('To send the same file once more, give --mailing with a name.')
  }
  const shown = refusals.slice(0, refusalsShownMax)
  if (shown.length > 0) lines.push('', renderRows(shown, { row: 'row', refused: 'why' }))
  if (refused > shown.length) lines.push(`… and ${refused - shown.length} more`)
  return {
    document: { results, ...tally, refusals },
    text: lines.join('\n'),
    ...(refused > 0 && { exitCode: submitted > 0 ? refusedExitCode : 1 }),
  }
}
