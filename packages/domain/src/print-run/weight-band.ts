import { estimateWeightGrams } from './sheet-weight.ts'

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
