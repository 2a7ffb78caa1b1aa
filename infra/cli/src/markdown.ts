const lineCharactersMax = 120

/** An item of a list, with the items of the list below it, if it has one. */
export type ListItem = string | { text: string; below: readonly string[] }

/**
 * Returns a Markdown table with columns padded to their widest cell. Throws if a row is too long to read: a cell that
 * needs a sentence belongs in a list.
 */
export function markdownTable(header: readonly string[], rows: readonly string[][]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = header.map((_, column) =>
    Math.max(3, ...cells.map((row) => [...(row[column] ?? '')].length)),
  )
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width)).join(' | ')} |`
  const [first = [], ...others] = cells
  const lines = [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)]
  if (lines[0]!.length > lineCharactersMax) throw new Error(`too wide for a table: ${lines[0]}`)
  return lines.join('\n')
}

/** Returns a Markdown list whose lines are wrapped. */
export function markdownList(items: readonly ListItem[]): string {
  return items
    .flatMap((item) => {
      const { text, below } = typeof item === 'string' ? { text: item, below: [] } : item
      return [wrap(text, '- ', '  '), ...below.map((each) => wrap(each, '  - ', '    '))]
    })
    .join('\n')
}

/**
 * Wraps a paragraph between words, but not within code or a short link. The first line begins with `first`, the others
 * with `next`.
 */
export function wrap(text: string, first = '', next = first): string {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of wordsOf(text)) {
    if (!isEmpty && line.length + 1 + word.length > lineCharactersMax) {
      lines.push(line)
      line = next + word
    } else {
      line += isEmpty ? word : ` ${word}`
    }
    isEmpty = false
  }
  return [...lines, line].join('\n')
}

/** Returns words, code and links. One that would begin a list or a heading stays on the line of the word before it. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.matchAll(/(?:`[^`]*`|\[[^\]]{1,60}\]\([^)\s]*\)|[^\s`])+/g)) {
    const joins = words.length > 0 && /^(?:[-+*]|#+|\d+[.)])$/.test(word)
    if (joins) words.push(`${words.pop()} ${word}`)
    else words.push(word)
  }
  return words
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - [...cell].length)
}
