/** Spec: the printable postcode has at most 8 characters. */
export const postcodeCharactersMax = 8

/** GIR 0AA, or one of A9 A99 A9A AA9 AA99 AA9A before 9AA. The second letter is never I or Z. */
const ukShape = /^(?:GIR0AA|[A-Z][A-HJ-Y]?[0-9][0-9A-Z]?[0-9][A-Z]{2})$/

/** Longer than any postcode with white space, so that a huge text is not examined. */
const writtenCharactersMax = 40

/**
 * Returns the normal form of a full UK postcode: upper case, one space before the last three characters. Returns
 * undefined if the text does not have that shape, which Jersey, Guernsey, Man and BFPO also use.
 */
export function normalisePostcode(text: string): string | undefined {
  if (text.length > writtenCharactersMax) return undefined

  const unspaced = text.replaceAll(/\s/g, '').toUpperCase()
  return ukShape.test(unspaced) ? `${unspaced.slice(0, -3)} ${unspaced.slice(-3)}` : undefined
}
