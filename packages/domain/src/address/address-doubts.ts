import { type Finding, note } from '../preflight/finding.ts'
import type { Address } from './address.ts'
import { isBfpo } from './bfpo-lines.ts'
import type { Part } from './lost-parts.ts'
import { isPostTownOf, townAreas } from './post-towns.ts'
import { normalisePostcode } from './postcode.ts'
import { areaOf, isOverseasPostcode, isPostcodeArea } from './postcode-areas.ts'
import { isCityElsewhere } from './well-known-cities.ts'

const premiseFields = new Set([
  ...['poBoxNumber', 'organisationName', 'departmentName'],
  ...['subBuildingName', 'buildingName', 'buildingNumber'],
])
const streetWord = /\b(avenue|close|crescent|drive|lane|road|street)\.?$/i
/**
 * A street and nothing else. Three words could be a shop or a house with its street, and Orchard Close alone a house. A
 * building may have a number in words.
 */
const bareStreet =
  /^(?!(?:one|two|three|four|five|six|seven|eight|nine|ten|flat|unit)\b)\p{L}+['’]?\p{L}* (avenue|crescent|drive|lane|road|street)\.?$/iu
/** Words of a line that names a building, wherever it is. */
const premiseWord =
  /\b(apartment|bank|barn|block|building|centre|church|cottage|court|farm|flat|hall|hospital|hotel|house|inn|lodge|mill|office|school|station|suite|surgery|unit|villa|c\/o)\b/i
/** Countries that a letter inside the United Kingdom, or to a crown dependency, does not name. */
const domestic = new Set([
  ...['UK', 'U K', 'GB', 'GBR', 'GREAT BRITAIN', 'UNITED KINGDOM', 'THE UNITED KINGDOM', 'ENGLAND'],
  ...['SCOTLAND', 'WALES', 'CYMRU', 'NORTHERN IRELAND', 'JERSEY', 'GUERNSEY', 'ISLE OF MAN'],
])

/** Returns what is probably wrong with an address. A doubt is reported only where ordinary addresses give no cause. */
export function findDoubts(address: Address, parts: readonly Part[]): Finding[] {
  const lines = parts.filter(({ field }) => field !== 'postcode' && field !== 'country')
  if ('internationalAddress' in address) return findNoAbode(lines)
  const postcode = parts.find(({ field }) => field === 'postcode')?.text
  return [
    ...(postcode ? findPostcodeFaults(postcode) : []),
    ...findNoPremise(address, lines),
    ...('structuredAddress' in address ? [] : findRepeated(lines)),
    ...findNoAbode(lines),
    ...('bfpoAddress' in address ? [] : findTownDoubts(address, lines, postcode)),
  ]
}

function findPostcodeFaults(given: string): Finding[] {
  if (isOverseasPostcode(given) || isBfpo(given.toUpperCase())) return []
  const normal = normalisePostcode(given)
  if (!normal) {
    return [note('address-postcode', 'postcode does not have the shape of a UK postcode.')]
  }
  return isPostcodeArea(normal)
    ? []
    : [note('address-postcode', 'postcode begins with an area that does not exist.')]
}

function findNoPremise(address: Address, lines: readonly Part[]): Finding[] {
  const isMissing =
    ('structuredAddress' in address && !lines.some(namesPremise)) ||
    ('unstructuredAddress' in address && beginsWithStreet(lines))
  return isMissing ? [note('address-premise', 'The address names no building.')] : []
}

function namesPremise({ field, text }: Part): boolean {
  return premiseFields.has(field) || (/thoroughfare/i.test(field) && /^\d/.test(text))
}

/** A first line such as Holly Court can be a building. Mill Lane, without another street, premise or number, is none. */
function beginsWithStreet([first, ...others]: readonly Part[]): boolean {
  return (
    first !== undefined &&
    bareStreet.test(first.text) &&
    !others.some(({ text }) => /\d/.test(text) || premiseWord.test(text)) &&
    !others.some(({ text }) => text.split(',').some((name) => streetWord.test(name)))
  )
}

function findRepeated(lines: readonly Part[]): Finding[] {
  const folded = lines.map(({ text }) => text.toUpperCase())
  const repeated = lines.find(
    ({ text }, index) => /\p{L}{3}/u.test(text) && folded.indexOf(folded[index]!) < index,
  )
  return repeated
    ? [note('address-repeated', `${repeated.field} repeats another part of the address.`)]
    : []
}

function findNoAbode(lines: readonly Part[]): Finding[] {
  const homeless = lines.find(
    ({ field, text }) =>
      !['organisationName', 'departmentName'].includes(field) &&
      /^(n\.?f\.?a\.?|(of )?no fixed (abode|address))$/i.test(text),
  )
  return homeless
    ? [note('address-no-abode', `${homeless.field} says that there is no address.`)]
    : []
}

function findTownDoubts(
  address: Address,
  lines: readonly Part[],
  postcode: string | undefined,
): Finding[] {
  const isStructured = 'structuredAddress' in address
  const town = isStructured
    ? lines.find(({ field }) => field === 'postTown')
    : lines.slice(1).at(-1)
  if (!town) return []
  const area = areaOf((postcode && normalisePostcode(postcode)) ?? '')
  return [
    ...findCountryInLines(town, area),
    ...findWrongTown(town, isStructured ? [] : lines, area),
  ]
}

/** A sorting machine may take a letter with a country for one to another country. Jersey is the post town of JE. */
function findCountryInLines({ field, text }: Part, area: string): Finding[] {
  return isDomestic(text) && !isPostTownOf(area, text)
    ? [note('address-country', `${field} is the country of a UK address.`)]
    : []
}

/** Returns nothing for a place that is no well-known city, or if another line has a post town of the area. */
function findWrongTown({ field, text }: Part, lines: readonly Part[], area: string): Finding[] {
  const names = lines.flatMap((line) => line.text.split(','))
  const isWrong =
    townAreas.includes(area) &&
    isCityElsewhere(area, text) &&
    !names.some((name) => isPostTownOf(area, name))
  return isWrong
    ? [note('address-town', `${field} is a post town outside the area of the postcode.`)]
    : []
}

/** Returns true for the country of a letter that stays in the United Kingdom or goes to a crown dependency. */
export function isDomestic(text: string): boolean {
  return domestic.has(text.toUpperCase().replaceAll('.', ''))
}
