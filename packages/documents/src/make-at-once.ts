import { findingsToReport, isRefused } from '@despatch/domain/preflight/finding'
import { estimateWeightGrams } from '@despatch/domain/print-run/weight'
import { makeAddressBlock } from './address-block.ts'
import { choosePrint, composeWithoutFiles, textsOf } from './compose-without-files.ts'
import { judgePagesMax } from './contract-terms.ts'
import type { DocumentRequest, MadeDocument } from './document-request.ts'
import { preparedSubsetFor } from './font-subset.ts'

/**
 * Makes the document of a letter without files as `makeDocument` does, in less than a tenth of a millisecond. Returns
 * undefined if the letter takes longer and belongs in a thread: it has files, or characters of which no subset of the
 * typeface is prepared. The first letter also prepares the subset, once per process in tens of milliseconds.
 */
export function makeAtOnce(request: DocumentRequest): MadeDocument | undefined {
  if (request.production !== 'letter' || request.files.length > 0) return undefined
  const made = makeAddressBlock(request.printableAddress, request.handlingInstruction)
  const findings = findingsToReport([
    ...(made.kind === 'unprintable' ? made.findings : []),
    ...(request.addressFindings ?? []),
    ...judgePagesMax(1, request.pagesMax),
  ])
  if (made.kind === 'unprintable' || isRefused(findings)) return { findings }

  const print = choosePrint(made, request)
  const subset = preparedSubsetFor(textsOf(print))
  if (!subset) return undefined
  const { title, at } = request
  const composed = composeWithoutFiles({ ...print, title, at }, subset)
  return {
    findings,
    document: { ...composed, pages: 1, sheets: 1, weightGrams: estimateWeightGrams(1) },
  }
}
