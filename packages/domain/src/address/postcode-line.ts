import type { AddressLines, FiveLines } from './address-lines.ts'
import { nameLines } from './address-lines.ts'
import { normalisePostcode, postcodeCharactersMax } from './postcode.ts'
import { charactersOf, holdsAtMost, lineCharactersMax, tidyLine } from './printed-line.ts'

const dpsCharactersMax = 2

/**
 * Names the lines of a UK address and places its postcode for print.
 * - A full UK postcode is printed as the postcode, normalised. The delivery point suffix has a meaning only with it.
 * - Other text of up to 8 characters is printed as the postcode, unchanged.
 * - Longer text is really the last line of the address (spec: 1 to 10 characters are accepted, 8 are printed). It
 *   becomes line 5, or joins line 5, or takes its place while the lines above close up. Only if all five lines are full
 *   is it cut to 8.
 */
export function nameUkLines(
  lines: FiveLines,
  { postcode, dps }: { postcode: string | null | undefined; dps: string | null | undefined },
): AddressLines {
  const given = tidyLine(postcode)
  if (!given) return nameLines(lines, {})

  const normal = normalisePostcode(given)
  if (normal) return nameLines(lines, { postcode: normal, dps: printableDps(dps) })
  if (holdsAtMost(given, postcodeCharactersMax)) return nameLines(lines, { postcode: given })

  const longer = addLastLine(lines, given)
  return longer
    ? nameLines(longer, {})
    : nameLines(lines, { postcode: charactersOf(given, postcodeCharactersMax).join('').trimEnd() })
}

function printableDps(dps: string | null | undefined): string | null {
  const suffix = tidyLine(dps)?.toUpperCase()
  return suffix && holdsAtMost(suffix, dpsCharactersMax) ? suffix : null
}

function addLastLine(lines: FiveLines, text: string): FiveLines | undefined {
  const [line1, line2, line3, line4, line5] = lines
  if (!line5) return [line1, line2, line3, line4, text]

  const joined = `${line5}, ${text}`
  if (holdsAtMost(joined, lineCharactersMax)) return [line1, line2, line3, line4, joined]

  const present = lines.filter((line) => line)
  if (present.length === 5) return undefined
  const [first, second, third, fourth] = present
  return [first, second, third, fourth, text]
}
