/** Breaks a text at blanks into lines of at most `width` characters. A longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ')) {
    if (line !== undefined && line.length + 1 + word.length > width) {
      lines.push(line)
      line = undefined
    }
    line = line === undefined ? word : `${line} ${word}`
  }
  return [...lines, line ?? '']
}
