/** A postcode to search for, without spaces and in upper case: a full one, or the first part of one. */
type PostcodePrefix =
  | { kind: 'full'; outward: string; sector: string; unit: string }
  | { kind: 'partial'; outward: string; sector?: string }

/**
 * The stored postcodes that match a search: those that equal one of `equals`, which have no spaces, and those that
 * begin with `beginning`. The latter is an outward code, or an outward code with a space and the sector.
 */
export type PostcodeSearch = { equals: readonly string[]; beginning?: string }

const outward = '(?<outward>GIR|[A-Z][A-HJ-Y]?[0-9][0-9A-Z]?)'
const outwardAlone = new RegExp(`^${outward}$`)
const spacedSector = new RegExp(`^${outward}\\s+(?<sector>[0-9])$`)
const unspacedSector = new RegExp(`^${outward}(?<sector>[0-9])$`)
const full = new RegExp(`^${outward}(?<sector>[0-9])(?<unit>[A-Z]{2})$`)
/** Longer than any postcode with white space, so that a huge text is not examined. */
const writtenCharactersMax = 40

/**
 * Parses a postcode, an outward code (AB1) or an outward code with a sector (AB1 2). Without a space, AB12 is an
 * outward code, because nobody writes a sector that way. Returns undefined if the text has none of these shapes.
 */
export function parsePostcodeSearch(text: string): PostcodePrefix | undefined {
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
 * Decides which stored postcodes a search finds. With `withPartial`, a partial search finds full postcodes that
 * continue it after its outward code or sector, and any search finds stored partial postcodes that it continues.
 * Without it, a full search finds only equal postcodes. The first of `equals` is the searched one itself.
 */
export function planPostcodeSearch(sought: PostcodePrefix, withPartial: boolean): PostcodeSearch {
  const { outward, sector } = sought
  if (sought.kind === 'full') {
    const whole = outward + sector + sought.unit
    return { equals: withPartial ? [whole, outward + sector, outward] : [whole] }
  }
  return sector === undefined
    ? { equals: [outward], beginning: outward }
    : { equals: [outward + sector, outward], beginning: `${outward} ${sector}` }
}
