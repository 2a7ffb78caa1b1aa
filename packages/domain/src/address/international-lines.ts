import type { InternationalAddress } from './address.ts'
import { type AddressLines, nameLines } from './address-lines.ts'
import { findCountry } from './countries.ts'
import { holdsAtMost, lineCharactersMax, tidyLine } from './printed-line.ts'

const linesBeforeCountryMax = 4

/**
 * Returns the lines without gaps and the country alone as line 5, in English and in capitals, as post offices require.
 * No line ends with a comma. A last line that repeats the country is printed once. Five lines leave no room for the
 * country: then the two neighbours that are shortest together are joined with a comma, or the country joins the fifth
 * line. If neither fits in 45 characters, the joined pair is cut.
 */
export function makeInternationalLines(address: InternationalAddress): AddressLines {
  const { line1, line2, line3, line4, line5 } = address
  const country = printedCountry(address.country)
  const given = [line1, line2, line3, line4, line5]
    .map((line) => tidyLine(tidyLine(line)?.replace(/[\s,]+$/, '')))
    .filter((line) => line !== undefined)
  const lines = repeatsCountry(given.at(-1), address.country) ? given.slice(0, -1) : given

  if (lines.length <= linesBeforeCountryMax) {
    const [a, b, c, d] = lines
    return nameLines([a, b, c, d, country], {})
  }
  const [a, b, c, d, e] = makeRoom(lines, country)
  return nameLines([a, b, c, d, e], {})
}

/** Returns the English name of a country in capitals. A country that is not known is printed as it is given. */
export function printedCountry(given: string): string | undefined {
  return findCountry(given)?.printed ?? tidyLine(given)?.toUpperCase()
}

/** Returns true for a line that is the country as it is given, or as it is printed. */
export function repeatsCountry(line: string | undefined, country: string): boolean {
  const names = [tidyLine(country)?.toUpperCase(), printedCountry(country)]
  return names.includes(line?.toUpperCase())
}

function makeRoom(lines: readonly string[], country: string | undefined): readonly string[] {
  if (!country) return lines

  const joined = joinShortestNeighbours(lines)
  if (joined.every((line) => holdsAtMost(line, lineCharactersMax))) return [...joined, country]

  const lastWithCountry = `${lines.at(-1)}, ${country}`
  return holdsAtMost(lastWithCountry, lineCharactersMax)
    ? [...lines.slice(0, -1), lastWithCountry]
    : [...joined, country]
}

function joinShortestNeighbours(lines: readonly string[]): readonly string[] {
  const pairs = lines.slice(1).map((line, index) => `${lines[index]}, ${line}`)
  const shortest = pairs.reduce(
    (best, pair, index) => (characterCount(pair) < characterCount(pairs[best]!) ? index : best),
    0,
  )
  return lines.toSpliced(shortest, 2, pairs[shortest]!)
}

function characterCount(text: string): number {
  return [...text].length
}
