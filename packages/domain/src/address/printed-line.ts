/** Spec: each printed line holds at most 45 characters. */
export const lineCharactersMax = 45

/**
 * The first `charactersMax` characters of a text. Counts Unicode code points and reads no more of
 * the text than it needs, so that a text of any length costs the same.
 */
export function charactersOf(text: string, charactersMax: number): string[] {
  return [...text.slice(0, 2 * charactersMax)].slice(0, charactersMax)
}

/** True when the text has at most `charactersMax` Unicode code points. */
export function holdsAtMost(text: string, charactersMax: number): boolean {
  return (
    text.length <= charactersMax || charactersOf(text, charactersMax + 1).length <= charactersMax
  )
}

/** The text with white space as single blanks and none at its ends; undefined when nothing is left. */
export function tidyLine(text: string | null | undefined): string | undefined {
  return text?.replaceAll(/\s+/g, ' ').trim() || undefined
}

/**
 * A line of at most 45 characters: cut after the last whole word that fits, or at the 45th character
 * when cutting at a blank would lose more than half of the line (a number whose street is one long
 * word keeps the beginning of the street).
 */
export function cutLine(line: string): string {
  const characters = charactersOf(line, lineCharactersMax + 1)
  if (characters.length <= lineCharactersMax) return line

  const blank = characters.lastIndexOf(' ')
  const kept = blank > lineCharactersMax / 2 ? blank : lineCharactersMax
  return characters.slice(0, kept).join('').trimEnd()
}
