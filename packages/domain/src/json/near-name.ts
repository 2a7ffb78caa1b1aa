/** Names that are like a known name but mean something else. */
const otherNames = ['county']

/**
 * Returns the known name that somebody probably meant by a name, or undefined. Case, hyphens and underscores do not
 * count. Names with other digits are never near: line6 does not mean line5. A part of several known names means none.
 */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  const plain = plainOf(name)
  if (otherNames.includes(plain)) return undefined
  const candidates = [...known]
    .map((candidate) => ({ candidate, other: plainOf(candidate) }))
    .filter(({ other }) => digitsOf(plain) === digitsOf(other))
  const [nearest] = candidates
    .map(({ candidate, other }) => ({ candidate, distance: editDistance(plain, other) }))
    .filter(({ distance }) => distance <= plain.length / 3)
    .toSorted((one, another) => one.distance - another.distance)
  if (nearest) return nearest.candidate
  const parts = candidates.filter(({ other }) => isPartOf(plain, other))
  return parts.length === 1 ? parts[0]!.candidate : undefined
}

/** Shorter parts occur by chance. */
const partCharactersMin = 4

/** Returns true if one name begins or ends with the other, such as town and postTown. */
function isPartOf(one: string, other: string): boolean {
  const [short, long] = [one, other].toSorted((a, b) => a.length - b.length) as [string, string]
  return short.length >= partCharactersMin && (long.startsWith(short) || long.endsWith(short))
}

const plainOf = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '')
const digitsOf = (name: string) => name.replace(/\D/g, '')

/** Returns how many characters must be inserted, removed, replaced, or exchanged with the next one. */
function editDistance(from: string, to: string): number {
  const [source, target] = [[...from], [...to]]
  let last = [0, ...target.map((_, column) => column + 1)]
  let before = last
  for (const [row, character] of source.entries()) {
    const current = [row + 1]
    for (const [column, other] of target.entries()) {
      const isExchanged = character === target[column - 1] && source[row - 1] === other
      current.push(
        Math.min(
          last[column + 1]! + 1,
          current[column]! + 1,
          last[column]! + Number(character !== other),
          isExchanged ? before[column - 1]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = last
    last = current
  }
  return last[target.length]!
}
