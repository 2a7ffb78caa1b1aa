import type { BfpoAddress } from './address.ts'
import { type AddressLines, nameLines } from './address-lines.ts'
import { normalisePostcode, postcodeCharactersMax } from './postcode.ts'
import { charactersOf, holdsAtMost, lineCharactersMax, tidyLine } from './printed-line.ts'

/**
 * Returns a British Forces address: the lines without gaps, `BFPO <number>` as line 5 and last line, never a country. A
 * line 1 that repeats the recipient is printed once. So is a line that repeats the BFPO number (also as `BFPO c/o 58`,
 * or as BFPO alone). The postcode is normalised. Text that is no UK postcode stays if it has at most 8 characters;
 * otherwise it is left out, because the BFPO number alone routes the letter.
 */
export function makeBfpoLines(address: BfpoAddress, recipientName: string): AddressLines {
  const bfpo = `BFPO ${address.bfpoNumber}`
  const { line1, line2, line3, line4 } = address
  const [first, ...others] = [line1, line2, line3, line4].map(tidyLine)

  const lines = [first && repeatsRecipient(first, recipientName) ? undefined : first, ...others]
    .filter((line) => line !== undefined)
    .filter((line) => !repeatsBfpo(line, address.bfpoNumber))
  const [a, b, c, d] = lines
  return nameLines([a, b, c, d, bfpo], { postcode: printablePostcode(address.postcode) })
}

/** Returns true for the name, of which a line has the first 45 characters. */
export function repeatsRecipient(line: string, recipientName: string): boolean {
  const cutName = charactersOf(tidyLine(recipientName) ?? '', lineCharactersMax).join('')
  return folded(line) === folded(cutName)
}

/** Returns true if a line says only what the line with the BFPO number says. */
export function repeatsBfpo(line: string, bfpoNumber: number): boolean {
  const digits = /^BFPO(?:C\/?O)?([0-9]{0,4})$/.exec(folded(line))?.[1]
  return digits === '' || Number(digits) === bfpoNumber
}

/** Returns true for the line with which an address of the forces ends. */
export function isBfpo(line: string | undefined): boolean {
  return /^BFPO ?[0-9]{1,4}$/.test(line ?? '')
}

function folded(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase()
}

function printablePostcode(postcode: string | undefined): string | undefined {
  const given = tidyLine(postcode)
  if (!given) return undefined
  return normalisePostcode(given) ?? (holdsAtMost(given, postcodeCharactersMax) ? given : undefined)
}
