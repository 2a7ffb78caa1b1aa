/** A member of an address with its text, white space tidied. */
export type Part = { field: string; text: string }

/** A member that is not printed. `isCut`: its beginning is. */
type LostPart = { field: string; isCut: boolean }

/** Cutting a line keeps at least this much of a long word. */
const cutWordCharactersMin = 20

/**
 * Returns the parts whose words are not all on the printed lines. A word that is printed once counts for one part only.
 * Parts that are printed whole come first, the longest of them before the others. `joined` are texts that are printed
 * as one word.
 */
export function findLostParts(
  parts: readonly Part[],
  lines: readonly string[],
  joined: readonly string[] = [],
): LostPart[] {
  const words = lines.flatMap(wordsOf)
  takeJoined(words, joined)
  const wanted = parts
    .map(({ field, text }) => ({ field, words: wordsOf(text) }))
    .toSorted((one, other) => other.words.length - one.words.length)
  const notWhole = wanted.filter((part) => !takeRun(words, part.words))
  const lost = notWhole.filter((part) => !takeEach(words, part.words))
  const found = new Map(lost.map((part) => [part.field, takeBeginning(words, part.words)]))
  return parts.flatMap(({ field }) => {
    const isCut = found.get(field)
    return isCut === undefined ? [] : [{ field, isCut }]
  })
}

/** Words that are taken for a part are replaced with this, so that the others keep their neighbours. */
const taken = ''

/** Replaces a joined word with the words that it is made of. */
function takeJoined(words: string[], joined: readonly string[]): void {
  const at = words.indexOf(joined.join('').toUpperCase())
  if (at >= 0) words.splice(at, 1, ...joined.map((word) => word.toUpperCase()))
}

/** Takes the words where they follow each other. */
function takeRun(words: string[], wanted: readonly string[]): boolean {
  const at = words.findIndex((_, index) =>
    wanted.every((word, offset) => words[index + offset] === word),
  )
  if (at < 0) return false
  words.fill(taken, at, at + wanted.length)
  return true
}

/** Takes the words wherever they are: part of a building name may be on the line of the street. */
function takeEach(words: string[], wanted: readonly string[]): boolean {
  const left = [...words]
  for (const word of wanted) {
    const at = left.indexOf(word)
    if (at < 0) return false
    left[at] = taken
  }
  words.splice(0, words.length, ...left)
  return true
}

/** Takes the longest beginning of the words. Returns false if nothing of them is left. */
function takeBeginning(words: string[], wanted: readonly string[]): boolean {
  let best = { at: 0, length: 0 }
  for (const [at] of words.entries()) {
    let length = 0
    while (length < wanted.length && isSameOrCut(words[at + length], wanted[length]!)) length += 1
    if (length > best.length) best = { at, length }
  }
  words.fill(taken, best.at, best.at + best.length)
  return best.length > 0
}

function isSameOrCut(printed: string | undefined, wanted: string): boolean {
  if (!printed) return false
  return (
    printed === wanted || (printed.length >= cutWordCharactersMin && wanted.startsWith(printed))
  )
}

function wordsOf(text: string): string[] {
  return text
    .toUpperCase()
    .split(/[\s,]/)
    .filter((word) => word !== '')
}
