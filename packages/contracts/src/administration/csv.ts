import { stringify } from 'csv-stringify/sync'

/**
 * Writes CSV (RFC 4180) under a line of column names. Cells hold what others chose: one that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
export function renderCsv(columns: readonly string[], rows: readonly object[]): string {
  return stringify([...rows], {
    columns: [...columns],
    header: true,
    record_delimiter: 'windows',
    escape_formulas: true,
  })
}
