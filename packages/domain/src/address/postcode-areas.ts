import { townAreas } from './post-towns.ts'

/**
 * The areas of postcodes: the letters with which a postcode begins. Besides those with post towns: BF (forces), BX
 * (large receivers), GIR and XX (returns), and GX of Gibraltar. Source: the public list of postcode areas of the Office
 * for National Statistics.
 */
const areas = new Set([...townAreas, 'BF', 'BX', 'GIR', 'GX', 'XX'])

/** Returns the area of a normalised postcode. */
export function areaOf(postcode: string): string {
  return /[A-Z]+/.exec(postcode)?.[0] ?? ''
}

/** Returns true if a normalised postcode is in an area that exists. */
export function isPostcodeArea(postcode: string): boolean {
  return areas.has(areaOf(postcode))
}

/** Returns true for the single postcode of an overseas territory, whose shape no other postcode has. */
export function isOverseasPostcode(text: string): boolean {
  return /^(ASCN|STHL|TDCU|FIQQ|SIQQ|BBND|BIQQ|PCRN) ?1ZZ$/i.test(text)
}
