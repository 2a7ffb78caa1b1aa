/**
 * Renders rows with a tab between their cells and the header in capitals. `layOut` aligns the columns when the text is
 * printed. Without rows, returns `none`.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  none = 'Nothing found.',
): string {
  if (rows.length === 0) return none
  return [header.map((cell) => cell.toUpperCase()), ...rows]
    .map((row) => row.map(printable).join('\t'))
    .join('\n')
}

/** What each column shows, by its header: a member of the row, or what is made of the row. */
export type Columns<Row> = Readonly<Record<string, (keyof Row & string) | ((row: Row) => unknown)>>

/** Renders a table with these columns. A list has spaces between its items. Nothing is shown as `-`. */
export function renderRows<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  none?: string,
): string {
  const cellsOf = (row: Row) =>
    Object.values(columns).map((column) =>
      renderCell(typeof column === 'string' ? row[column] : column(row)),
    )
  return renderTable(Object.keys(columns), rows.map(cellsOf), none)
}

function renderCell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '')
  return text || '-'
}

/** Renders names with their values, one per line, indented and with a tab between them. Omits undefined values. */
export function renderFields(
  fields: Readonly<Record<string, string | number | undefined>>,
): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}\t${printable(String(value))}`)
    .join('\n')
}

/** Replaces control characters, because a name chosen by others must not move the cursor or colour the screen. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{fffd}')
}
