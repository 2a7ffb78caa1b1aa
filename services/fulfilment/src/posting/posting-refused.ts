import { type FieldFault, Problem } from '@despatch/domain/problem'
import type { NotPostable } from '@despatch/store/posting/cover'
import type { RefusedSerialNumber } from '@despatch/store/posting/details'
import type { PostingRefusal } from '@despatch/store/posting/postings'

/**
 * Returns the Problem that explains why a posting was not saved, with one entry for each reported document in
 * violation.
 */
export function postingRefused(refusal: Exclude<PostingRefusal, { kind: 'absent' }>): Problem {
  switch (refusal.kind) {
    case 'key-reused':
      return conflict('The Idempotency-Key was used for another posting, or with another body')
    case 'not-in-production':
      return conflict(
        refusal.isAcknowledged
          ? `Print run ${refusal.batchNumber} is not in production: it was refused, closed or reassigned`
          : `Print run ${refusal.batchNumber} has not been acknowledged`,
      )
    case 'nothing-to-post':
      return conflict(`Print run ${refusal.batchNumber} has no documents left to post`)
    case 'not-postable':
      return conflict(
        `${refusal.documentCount} of the documents cannot be posted`,
        refusal.documents.map((document) => fault(document.documentId, whyNotPostable(document))),
      )
    case 'details-not-covered':
      return conflict(
        'Details are given for documents that the posting does not cover',
        refusal.documentIds.map((id) => fault(id, `Document ${id} is not covered by the posting`)),
      )
    case 'serial-number-refused':
      return conflict(
        `${refusal.numbers.length} of the serial numbers cannot be used`,
        refusal.numbers.map((number) => fault(number.documentId, whyNotUsable(number))),
      )
    case 'count-differs':
      return conflict(describeDifference(refusal))
  }
}

function conflict(detail: string, faults: readonly FieldFault[] = []): Problem {
  return new Problem('posting-conflict', detail, faults)
}

function fault(documentId: string, detail: string): FieldFault {
  return { field: documentId, code: 'PostingConflict', detail }
}

function whyNotPostable(document: NotPostable): string {
  const { batchNumber, documentId, attempt, progress, outcome, postingId } = document
  if (attempt === null) return `Document ${documentId} is not in print run ${batchNumber}`
  if (outcome) return `Document ${documentId} is ${outcome}`
  if (postingId) return `Document ${documentId} is in posting ${postingId}`
  if (progress === 'SPOILED') return `Attempt ${attempt} at document ${documentId} is SPOILED`
  return `Attempt ${attempt} at document ${documentId}, a reprint, has not been reported as PRINTED`
}

function whyNotUsable({ documentId, serialNumber, outcome }: RefusedSerialNumber): string {
  const why =
    outcome === 'taken' ? 'belongs to another document or attempt' : 'is not in your stock'
  return `The serial number ${serialNumber} of document ${documentId} ${why}`
}

function describeDifference({
  count,
  covered,
}: Extract<PostingRefusal, { kind: 'count-differs' }>): string {
  const { despatchMethod, format, weightBandGrams, documentCount } = count
  const weight = weightBandGrams === undefined ? '' : ` up to ${weightBandGrams} g`
  return `The carrier counts ${documentCount} of ${despatchMethod} ${format}${weight}; the posting covers ${covered}`
}
