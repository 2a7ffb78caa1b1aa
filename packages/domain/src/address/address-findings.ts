import { type Finding, note } from '../preflight/finding.ts'
import {
  type Address,
  type PrintableAddress,
  type StructuredAddress,
  structuredAddressFields,
} from './address.ts'
import { findDoubts, isDomestic } from './address-doubts.ts'
import type { Addressee } from './addressee.ts'
import { isBfpo, repeatsBfpo, repeatsRecipient } from './bfpo-lines.ts'
import { printedCountry, repeatsCountry } from './international-lines.ts'
import { findLostParts, type Part } from './lost-parts.ts'
import { tidyLine } from './printed-line.ts'

/** Members of a structured address that are never printed, because they are not part of what a person writes. */
const codeFields = new Set(['language', 'dps', 'uprn', 'udprn'])
/** Longer than five lines, so that the words of a huge text are not examined. */
const examinedCharactersMax = 600

/**
 * Returns what a person should know about an address before it is printed: what is left out or cut, and what is probably
 * wrong. All are notes, because the letter is printed as `printed` says. A detail names the member and quotes nothing of
 * it. That a UK address is printed without its country is no finding.
 */
export function findAddressFindings(
  { recipientName, address }: Addressee,
  printed: PrintableAddress,
): Finding[] {
  const parts = partsOf(address)
  return [
    ...findLost(parts, { recipientName, address }, printed),
    ...findLostOfName(recipientName, printed),
    ...findBlanks(recipientName, address),
    ...findControls(recipientName, address),
    ...findDamage(recipientName, address),
    ...findDoubts(address, parts),
  ]
}

/** The texts of the address in the order of their members, without those that are absent or blank. */
function partsOf(address: Address): Part[] {
  return givenTexts(address).flatMap(({ field, text }) => {
    const tidy = tidyLine(text)
    const isAbsent = !tidy || ('structuredAddress' in address && tidy === 'null')
    return isAbsent ? [] : [{ field, text: tidy.slice(0, examinedCharactersMax) }]
  })
}

function givenTexts(address: Address): Part[] {
  const given: Readonly<Record<string, unknown>> = Object.values(address)[0]!
  const fields =
    'structuredAddress' in address
      ? structuredAddressFields.filter((field) => !codeFields.has(field))
      : ['line1', 'line2', 'line3', 'line4', 'line5', 'postcode', 'country']
  return fields.flatMap((field) => {
    const text = given[field]
    return typeof text === 'string' ? [{ field, text }] : []
  })
}

function findLost(
  parts: readonly Part[],
  addressee: Addressee,
  printed: PrintableAddress,
): Finding[] {
  const { line1, line2, line3, line4, line5 } = printed
  const lines = [line1, line2, line3, line4, line5].filter((line) => line !== undefined)
  const expected = parts
    .filter((part) => !isOmittedOnPurpose(part, parts, addressee))
    .map((part) => asPrinted(part, addressee))
  const postcode = expected.find(({ field }) => field === 'postcode')
  const ofPostcode = postcode ? findLostPostcode(postcode.text, printed, lines) : 'line'
  const others = expected.filter(({ field }) => field !== 'postcode' || ofPostcode === 'line')
  return [
    ...findLostParts(others, lines, joinedNumber(addressee.address)).map(({ field, isCut }) =>
      isCut
        ? note('address-cut', `${field} is printed only in part: it does not fit.`)
        : note('address-left-out', `${field} is not printed${whyLeftOut(field)}.`),
    ),
    ...(ofPostcode === 'line' ? [] : ofPostcode),
  ]
}

/** Returns 'line' if what is given is no postcode: it must then be looked for in the lines, like any other text. */
function findLostPostcode(
  given: string,
  { postcode = '' }: PrintableAddress,
  lines: readonly string[],
): Finding[] | 'line' {
  if (isBfpo(lines.at(-1)) && !unspaced(given).startsWith('BF')) {
    return [note('address-left-out', 'postcode is not printed: the BFPO number routes the letter.')]
  }
  if (unspaced(given) === unspaced(postcode)) return []
  return postcode !== '' && unspaced(given).startsWith(unspaced(postcode))
    ? [note('address-cut', 'postcode is printed only in part: it does not fit.')]
    : 'line'
}

/** Returns true for what is printed in another place, and for the country of a letter that stays in the country. */
function isOmittedOnPurpose(
  { field, text }: Part,
  parts: readonly Part[],
  { recipientName, address }: Addressee,
): boolean {
  const isCountry = field === 'country'
  if ('internationalAddress' in address) {
    const { country } = address.internationalAddress
    const last = parts.findLast((part) => part.field !== 'country')
    return field === last?.field && repeatsCountry(text.replace(/[\s,]+$/, ''), country)
  }
  if (isCountry) return isDomestic(text)
  if (!('bfpoAddress' in address)) return false
  return (
    repeatsBfpo(text, address.bfpoAddress.bfpoNumber) ||
    (field === 'line1' && repeatsRecipient(text, recipientName))
  )
}

/** A country abroad is printed in English. */
function asPrinted({ field, text }: Part, { address }: Addressee): Part {
  const isAbroad = field === 'country' && 'internationalAddress' in address
  return { field, text: (isAbroad && printedCountry(text)) || text }
}

/** Royal Mail: a sub-building of one letter is printed with the number, as 12A. A number such as `12 14` has two words. */
function joinedNumber(address: Address): readonly string[] {
  if (!('structuredAddress' in address)) return []
  const { buildingNumber, subBuildingName }: StructuredAddress = address.structuredAddress
  const number = tidyLine(buildingNumber)?.split(' ').at(-1)
  const subBuilding = tidyLine(subBuildingName)
  return number && subBuilding ? [number, subBuilding] : []
}

function whyLeftOut(field: string): string {
  if (field === 'country') return ': only an internationalAddress has a country'
  if (field === 'postcode') return ': it is too long and no UK postcode'
  return ': the address has more parts than fit in five lines'
}

/** Spec: a recipient name is printed on two lines, and characters beyond 90 are omitted. */
function findLostOfName(
  recipientName: string,
  { recipientLine1, recipientLine2 }: PrintableAddress,
): Finding[] {
  return unspaced(recipientName) === unspaced(recipientLine1 + recipientLine2)
    ? []
    : [note('address-cut', 'recipientName is printed only in part: it does not fit in two lines.')]
}

function findBlanks(recipientName: string, address: Address): Finding[] {
  const required = 'structuredAddress' in address ? [] : givenTexts(address)
  return [{ field: 'recipientName', text: recipientName }, ...required]
    .filter(({ text }) => text !== '' && !tidyLine(visible(text)))
    .map(({ field }) => note('address-blank', `${field} is blank.`))
}

/** Characters such as a zero-width space are not printed. */
function visible(text: string): string {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
}

function findControls(recipientName: string, address: Address): Finding[] {
  return [{ field: 'recipientName', text: recipientName }, ...givenTexts(address)]
    .filter(({ text }) => /[\p{Cc}\u2028\u2029]/u.test(text))
    .map(({ field }) =>
      note('address-control', `${field} has a line break or another control character.`),
    )
}

/** A decoder writes U+FFFD for bytes that it cannot read, so the text was damaged before it came. */
function findDamage(recipientName: string, address: Address): Finding[] {
  return [{ field: 'recipientName', text: recipientName }, ...givenTexts(address)]
    .filter(({ text }) => text.includes('\ufffd'))
    .map(({ field }) =>
      note(
        'address-damaged',
        `${field} has a replacement character (U+FFFD): its text was damaged before it was sent.`,
      ),
    )
}

function unspaced(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase()
}
