import { stringify } from 'csv-stringify/sync'

/**
 * Renders CSV (RFC 4180) with a header line. Cells hold text from other people, so a cell that a spreadsheet would read
 * as a formula gets a leading apostrophe.
 */
export function renderCsv(columns: readonly string[], rows: readonly object[]): string {
  return stringify([...rows], {
    columns: [...columns],
    header: true,
    record_delimiter: 'windows',
    escape_formulas: true,
  })
}
