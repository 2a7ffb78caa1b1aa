import type { PrintRunDespatchMethod } from './despatch-method.ts'
import type { MailFormat } from './mail-format.ts'
import { estimateWeightGrams, type PrintedOn, weightBandOf } from './weight.ts'

/** A carrier's count for a posting: for one despatch method and format, in one weight band or for all weights. */
export type PostingCount = {
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  /** The upper end of the band, as the carrier weighed. Absent: all weights. */
  weightBandGrams?: number | undefined
  documentCount: number
}

/** A carrier's count beside our estimate of it. */
export type WeighedCount = PostingCount & {
  /** How many covered documents have this band by their estimated weight. Absent without a band. */
  estimatedCount?: number
}

/** The documents of a posting that have the same number of sheets of the same paper. */
export type CoveredCount = {
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  sheets: number
  documentCount: number
} & PrintedOn

/**
 * Returns the first count that differs from what the posting covers. Without counts there is nothing to compare. If
 * there are some, each covered document must have been counted; a missing count is returned as a count of 0. Weight
 * bands are the carrier's word, because it has weighed the letters and we only estimate: the counts of all bands of a
 * class must add up to its documents. The band of a sum that differs is absent.
 */
export function differingCount(
  counts: readonly PostingCount[],
  covered: readonly CoveredCount[],
): { count: PostingCount; covered: number } | undefined {
  for (const count of counts) {
    const documents = documentsOf(covered.filter((each) => isOfClass(count, each)))
    const counted = countedAs(count, counts)
    if (documents === 0) return { count, covered: 0 }
    if (documents !== counted) {
      const { despatchMethod, format } = count
      return { count: { despatchMethod, format, documentCount: counted }, covered: documents }
    }
  }
  if (counts.length === 0) return
  const uncounted = covered.find((each) => !counts.some((count) => isOfClass(count, each)))
  if (!uncounted) return
  const { despatchMethod, format } = uncounted
  return {
    count: { despatchMethod, format, documentCount: 0 },
    covered: documentsOf(covered.filter((each) => isOfClass(uncounted, each))),
  }
}

/** Returns the counts with what each weight band would have by our estimate. */
export function weighCounts(
  counts: readonly PostingCount[],
  covered: readonly CoveredCount[],
): WeighedCount[] {
  return counts.map((count) => {
    const { weightBandGrams } = count
    if (weightBandGrams === undefined) return count
    const estimated = covered.filter(
      (each) => isOfClass(count, each) && bandOf(each) === weightBandGrams,
    )
    return { ...count, estimatedCount: documentsOf(estimated) }
  })
}

/** A count of all weights stands alone, and the bands of a class together. */
function countedAs(count: PostingCount, counts: readonly PostingCount[]): number {
  return count.weightBandGrams === undefined
    ? count.documentCount
    : documentsOf(
        counts.filter((each) => each.weightBandGrams !== undefined && isOfClass(count, each)),
      )
}

type Class = Pick<PostingCount, 'despatchMethod' | 'format'>

function isOfClass(one: Class, other: Class): boolean {
  return one.despatchMethod === other.despatchMethod && one.format === other.format
}

function bandOf(covered: CoveredCount): number | undefined {
  return weightBandOf(estimateWeightGrams(covered.sheets, covered))
}

function documentsOf(counted: readonly { documentCount: number }[]): number {
  return counted.reduce((sum, { documentCount }) => sum + documentCount, 0)
}
