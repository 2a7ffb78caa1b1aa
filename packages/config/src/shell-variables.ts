/**
 * Writes variables as lines for a shell to source. The values are quoted, so that the shell executes nothing of them
 * whatever they contain. Throws if one contains U+0000, which no variable can hold.
 */
export function writeShellVariables(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => {
      if (value.includes('\0')) throw new Error(`${name} contains the character U+0000`)
      return `export ${name}='${value.replaceAll("'", escapedQuote)}'\n`
    })
    .join('')
}

/** Reads the lines of `writeShellVariables`. */
export function readShellVariables(text: string): Record<string, string> {
  const lines = text.matchAll(/^export (\w+)='((?:[^']|'\\'')*)'$/gm)
  return Object.fromEntries(
    [...lines].map(([, name, quoted]) => [name!, quoted!.replaceAll(escapedQuote, "'")]),
  )
}

/** Ends the quoted text, adds a quote and begins the text again. */
const escapedQuote = "'\\''"
