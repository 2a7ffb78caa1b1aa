import type { ReconciliationResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import type { Paint } from './paint.ts'

const outcomes = ['expected', 'despatched', 'refused', 'failed', 'recalled', 'missing'] as const
const margin = ' '
const gap = '  '

/** Draws a row for each print run: claimed documents, their outcomes, and missing ones. */
export function drawReconciliationTable(
  accounts: readonly ReconciliationResponse[],
  paint: Paint,
): string[] {
  const headings = ['Print run', 'State', ...outcomes.map(capitalise)]
  const rows = accounts.map((account) => [
    account.batchNumber,
    account.state,
    ...outcomes.map((outcome) => String(account[outcome])),
  ])
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...rows.map((row) => row[column]!)].map(({ length }) => length)),
  )
  const draw = (cells: readonly string[]) =>
    margin +
    cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join(gap)
  return [
    paint.dim(draw(headings)),
    ...rows.map((row, index) => paintOf(accounts[index]!, paint)(draw(row))),
    '',
  ]
}

function paintOf({ state, isBalanced }: ReconciliationResponse, paint: Paint) {
  return state === 'CLOSED' && isBalanced ? paint.green : paint.red
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
