import type { PrintRunDespatchMethod } from './despatch-method.ts'
import type { MailFormat } from './mail-format.ts'
import { estimateWeightGrams, weightBandOf } from './weight.ts'

/** A carrier's count for a posting: for one despatch method and format, in one weight band or for all weights. */
export type PostingCount = {
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  /** The upper end of the band. Absent: all weights. */
  weightBandGrams?: number | undefined
  documentCount: number
}

/** The documents of a posting that have the same number of sheets. */
export type CoveredCount = {
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  sheets: number
  documentCount: number
}

/**
 * Returns the first count that differs from what the posting covers. Without counts there is nothing to compare. If
 * there are some, each covered document must have been counted; a missing count is returned as a count of 0.
 */
export function differingCount(
  counts: readonly PostingCount[],
  covered: readonly CoveredCount[],
): { count: PostingCount; covered: number } | undefined {
  for (const count of counts) {
    const documents = documentsOf(covered.filter((each) => isCountedBy(count, each)))
    if (documents !== count.documentCount) return { count, covered: documents }
  }
  if (counts.length === 0) return
  const uncounted = covered.find((each) => !counts.some((count) => isCountedBy(count, each)))
  if (!uncounted) return
  const { despatchMethod, format, sheets } = uncounted
  const weightBandGrams = bandOf(sheets)
  const count = { despatchMethod, format, weightBandGrams, documentCount: 0 }
  return { count, covered: documentsOf(covered.filter((each) => isCountedBy(count, each))) }
}

function isCountedBy(count: PostingCount, covered: CoveredCount): boolean {
  return (
    count.despatchMethod === covered.despatchMethod &&
    count.format === covered.format &&
    (count.weightBandGrams === undefined || count.weightBandGrams === bandOf(covered.sheets))
  )
}

function bandOf(sheets: number): number | undefined {
  return weightBandOf(estimateWeightGrams(sheets))
}

function documentsOf(covered: readonly CoveredCount[]): number {
  return covered.reduce((sum, { documentCount }) => sum + documentCount, 0)
}
