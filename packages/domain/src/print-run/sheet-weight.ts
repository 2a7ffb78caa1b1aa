/** Paper of the kind that letters are printed on, in grams per square metre. */
export const paperGramsPerSquareMetre = 80

/** A0 is one square metre by definition (ISO 216), and A4 a sixteenth of it but for rounding: 210 x 297 mm. */
const a4SquareMetres = 0.21 * 0.297

/**
 * A C5 envelope with a window, 162 x 229 mm, of 80 g/m²: front, back and flaps take about twice its face
 * and a tenth more, 6.5 g. An estimate: window film and glue differ by the maker.
 */
export const envelopeGrams = 6.5

/**
 * What a letter weighs in the post, in grams to the hundredth: its sheets of A4 and one envelope. An
 * estimate for manifests and for the choice of a postage class, without the ink and without moisture,
 * which may add a twentieth.
 */
export function estimateWeightGrams(
  sheets: number,
  { gramsPerSquareMetre = paperGramsPerSquareMetre, envelope = envelopeGrams } = {},
): number {
  return Math.round((sheets * a4SquareMetres * gramsPerSquareMetre + envelope) * 100) / 100
}
