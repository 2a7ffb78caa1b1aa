/** An envelope of a site. */
type Envelope = {
  name: string
  grams: number
  /** The most sheets that fit. */
  sheetsMax: number
}

/** The paper and the envelopes of a site. What its provider does not report has the defaults below. */
export type Materials = {
  /** Whole grams per square metre. */
  papers?: readonly { stationery: string; gramsPerSquareMetre: number }[]
  /** In ascending order of the sheets that fit, at least one. */
  envelopes?: readonly Envelope[]
}

/** What a letter is printed on. `materials` are those of its site; null: its provider reports none. */
export type PrintedOn = { stationery: string; materials: Materials | null }

/** The weight of letter paper, in grams per square metre. */
const paperGramsPerSquareMetre = 80

/**
 * The unit in which weights are added, a hundred-thousandth of a gram. Whole numbers have no rounding errors, so that a
 * letter on the border of a weight band is always in the same one.
 */
const unitsPerGram = 100_000
/** A0 is one square metre by definition (ISO 216). A4 is a sixteenth of it, rounded: 210 x 297 mm, 0.06237 m². */
const a4UnitsPerGramPerSquareMetre = 6_237

/**
 * A C5 window envelope, 162 x 229 mm, of 80 g/m²: front, back and flaps are about 2.2 times its face, 6.5 g. An
 * estimate: window film and glue differ between makers. It counts for any number of sheets.
 */
const envelopeGrams = 6.5

/**
 * Returns the weight of a letter in the post, in grams to two decimal places: its sheets of A4 and one envelope. An
 * estimate for manifests and for the choice of a postage class. It ignores ink and moisture, which may add 5 %. Without
 * `printedOn`, as before a site is known, the defaults count.
 */
export function estimateWeightGrams(sheets: number, printedOn?: PrintedOn): number {
  const { materials = null, stationery } = printedOn ?? {}
  const paper = materials?.papers?.find((one) => one.stationery === stationery)
  const gramsPerSquareMetre = paper?.gramsPerSquareMetre ?? paperGramsPerSquareMetre
  const envelope = Math.round(envelopeGramsOf(sheets, materials) * unitsPerGram)
  const units = sheets * a4UnitsPerGramPerSquareMetre * gramsPerSquareMetre + envelope
  return Math.round((units * 100) / unitsPerGram) / 100
}

/**
 * Returns the weight of the smallest envelope that holds the sheets. A letter that was gathered before its site reported
 * smaller envelopes may fit none; the largest then counts.
 */
function envelopeGramsOf(sheets: number, materials: Materials | null): number {
  const envelopes = materials?.envelopes
  const envelope = envelopes?.find(({ sheetsMax }) => sheets <= sheetsMax) ?? envelopes?.at(-1)
  return envelope?.grams ?? envelopeGrams
}

/** Returns the most sheets that fit into an envelope of a site. */
export function sheetsMaxOfEnvelopes(materials: Materials | undefined): number {
  return materials?.envelopes?.at(-1)?.sheetsMax ?? Number.POSITIVE_INFINITY
}

/** Upper ends of the weight bands of Royal Mail's letters and large letters, in grams. */
export const weightBandsGrams = [100, 250, 500, 750] as const

/** Returns the weight band of a weight, as its upper end in grams; undefined above the last. */
export function weightBandOf(weightGrams: number): number | undefined {
  return weightBandsGrams.find((band) => weightGrams <= band)
}

/** Returns the place of a letter's weight band, lightest band first, from 0; above the last, the number of bands. */
export function weightBandIndexOf(sheets: number, printedOn: PrintedOn): number {
  const weightGrams = estimateWeightGrams(sheets, printedOn)
  return weightBandsGrams.filter((band) => weightGrams > band).length
}
