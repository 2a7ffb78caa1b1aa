/** Spec: each printed line has at most 45 characters. */
export const lineCharactersMax = 45

/**
 * Returns the first `charactersMax` characters of a text. Counts Unicode code points and reads no more of the text than
 * it needs, so the cost does not grow with the text.
 */
export function charactersOf(text: string, charactersMax: number): string[] {
  return [...text.slice(0, 2 * charactersMax)].slice(0, charactersMax)
}

/** Returns true if the text has at most `charactersMax` Unicode code points. */
export function holdsAtMost(text: string, charactersMax: number): boolean {
  return charactersOf(text, charactersMax + 1).length <= charactersMax
}

/** Returns the text with each run of white space as one space and none at its ends; undefined if nothing is left. */
export function tidyLine(text: string | null | undefined): string | undefined {
  return text?.replaceAll(/\s+/g, ' ').trim() || undefined
}

/**
 * Cuts a line to at most 45 characters, after the last whole word that fits. Cuts at the 45th character if cutting at a
 * space would lose more than half of the line. A number followed by one long word thus keeps the beginning of the
 * street.
 */
export function cutLine(line: string): string {
  const characters = charactersOf(line, lineCharactersMax + 1)
  if (characters.length <= lineCharactersMax) return line

  const blank = characters.lastIndexOf(' ')
  const kept = blank > lineCharactersMax / 2 ? blank : lineCharactersMax
  return characters.slice(0, kept).join('').trimEnd()
}
