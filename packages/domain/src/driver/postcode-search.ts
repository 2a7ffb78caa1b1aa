/** A postcode that is searched for, unspaced and in upper case: a full one, or the first part of one. */
export type SoughtPostcode =
  | { kind: 'full'; outward: string; sector: string; unit: string }
  | { kind: 'partial'; outward: string; sector?: string }

/**
 * Which held postcodes answer a search: those that are equal to one of these, which are unspaced, and those that go on
 * from the beginning, an outward code or one with a space and the sector.
 */
export type PostcodeSearch = { equals: readonly string[]; beginning?: string }

const outward = '(?<outward>GIR|[A-Z][A-HJ-Y]?[0-9][0-9A-Z]?)'
const outwardAlone = new RegExp(`^${outward}$`)
const spacedSector = new RegExp(`^${outward}\\s+(?<sector>[0-9])$`)
const unspacedSector = new RegExp(`^${outward}(?<sector>[0-9])$`)
const full = new RegExp(`^${outward}(?<sector>[0-9])(?<unit>[A-Z]{2})$`)
/** Longer than any postcode with white space in it; keeps a huge text from being looked at. */
const writtenCharactersMax = 40

/**
 * Reads a postcode, an outward code (AB1) or one with a sector (AB1 2). Without a space AB12 is the outward code, since
 * nobody writes a sector so. Undefined when the text has no such shape.
 */
export function parseSoughtPostcode(text: string): SoughtPostcode | undefined {
  if (text.length > writtenCharactersMax) return undefined
  const written = text.trim().toUpperCase()
  const unspaced = written.replaceAll(/\s/g, '')
  const parts =
    spacedSector.exec(written) ??
    outwardAlone.exec(unspaced) ??
    full.exec(unspaced) ??
    unspacedSector.exec(unspaced)
  if (!parts?.groups) return undefined
  const { outward = '', sector, unit } = parts.groups
  if (sector === undefined) return { kind: 'partial', outward }
  return unit === undefined
    ? { kind: 'partial', outward, sector }
    : { kind: 'full', outward, sector, unit }
}

/**
 * Decides which held postcodes a sought one finds. With partial ones: full ones that go on from a partial one that is
 * sought, at the end of its outward code or sector, and partial ones that are held and that the sought one goes on
 * from. Without: the equal ones. The first of `equals` is the sought one itself.
 */
export function planPostcodeSearch(sought: SoughtPostcode, withPartial: boolean): PostcodeSearch {
  const { outward, sector } = sought
  if (sought.kind === 'full') {
    const whole = outward + sector + sought.unit
    return { equals: withPartial ? [whole, outward + sector, outward] : [whole] }
  }
  return sector === undefined
    ? { equals: [outward], beginning: outward }
    : { equals: [outward + sector, outward], beginning: `${outward} ${sector}` }
}
