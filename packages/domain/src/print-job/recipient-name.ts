import { charactersOf, lineCharactersMax } from '../address/printed-line.ts'

/** Spec: characters beyond 90 are omitted. */
const nameCharactersMax = 90

/**
 * Splits a recipient name into the two printed lines (spec: recipient name wrapping). Characters are Unicode code
 * points. A name longer than 45 is broken at the last space before the 45th character, and the space is dropped.
 * Without such a space, it is broken after the last such hyphen, which stays; without either, after character 45. A
 * break that would leave line 1 empty does not count.
 */
export function wrapRecipientName(name: string): {
  recipientLine1: string
  recipientLine2: string
} {
  const characters = charactersOf(name, nameCharactersMax)
  if (characters.length <= lineCharactersMax) return { recipientLine1: name, recipientLine2: '' }

  const beforeTheLast = characters.slice(0, lineCharactersMax - 1)
  const space = beforeTheLast.lastIndexOf(' ')
  if (space > 0) return linesOf(characters, { firstEnds: space, secondStarts: space + 1 })

  const hyphen = beforeTheLast.lastIndexOf('-')
  const firstEnds = hyphen >= 0 ? hyphen + 1 : lineCharactersMax
  return linesOf(characters, { firstEnds, secondStarts: firstEnds })
}

function linesOf(
  characters: string[],
  { firstEnds, secondStarts }: { firstEnds: number; secondStarts: number },
) {
  return {
    recipientLine1: characters.slice(0, firstEnds).join(''),
    recipientLine2: characters.slice(secondStarts, secondStarts + lineCharactersMax).join(''),
  }
}
