/** The weight of letter paper, in grams per square metre. */
export const paperGramsPerSquareMetre = 80

/** A0 is one square metre by definition (ISO 216). A4 is a sixteenth of it, rounded: 210 x 297 mm. */
const a4SquareMetres = 0.21 * 0.297

/**
 * A C5 window envelope, 162 x 229 mm, of 80 g/m²: front, back and flaps are about 2.2 times its face, 6.5 g. An
 * estimate: window film and glue differ between makers.
 */
export const envelopeGrams = 6.5

/**
 * Returns the weight of a letter in the post, in grams to two decimal places: its sheets of A4 and one envelope. An
 * estimate for manifests and for the choice of a postage class. It ignores ink and moisture, which may add 5 %.
 */
export function estimateWeightGrams(
  sheets: number,
  { gramsPerSquareMetre = paperGramsPerSquareMetre, envelope = envelopeGrams } = {},
): number {
  return Math.round((sheets * a4SquareMetres * gramsPerSquareMetre + envelope) * 100) / 100
}

/** Upper ends of the weight bands of Royal Mail's letters and large letters, in grams. */
export const weightBandsGrams = [100, 250, 500, 750] as const

/** Returns the weight band of a weight, as its upper end in grams; undefined above the last. */
export function weightBandOf(weightGrams: number): number | undefined {
  return weightBandsGrams.find((band) => weightGrams <= band)
}

/** Returns the most sheets that a letter of each band can have, lightest band first, by its estimated weight. */
export function sheetsMaxOfBands(): number[] {
  return weightBandsGrams.map((band) => {
    let sheets = 0
    while (estimateWeightGrams(sheets + 1) <= band) sheets += 1
    return sheets
  })
}
