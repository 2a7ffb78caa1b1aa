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

/** Renders names with their values, one per line, indented and with a tab between them. Omits undefined values. */
export function renderFields(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `  ${name}\t${printable(value)}`)
    .join('\n')
}

/** Replaces control characters, because a name chosen by others must not move the cursor or colour the screen. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{fffd}')
}
