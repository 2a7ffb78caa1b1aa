import { invalidFields, Problem } from '@despatch/domain/problem'
import { describeNotPostable } from './not-postable.ts'
import type { PostingChoice, PostingRefusal } from './posting-on-behalf.ts'
import { printRunConflict, printRunNotFound, printRunRefusal } from './print-runs.ts'

/** Limit for the documents in violation that a response names. */
const faultsMax = 100

/** Returns the problem of a posting on behalf of the provider, or of its count, that is not possible. */
export function unpostable(
  { batchNumber, documentIds = [] }: PostingChoice,
  refused: PostingRefusal,
): Error {
  switch (refused.kind) {
    case 'absent':
      return printRunNotFound(batchNumber)
    case 'not-possible':
      return printRunRefusal({ batchNumber, state: refused.state }, refused.whyNot)
    case 'nothing-missing':
      return printRunConflict(`Print run ${batchNumber} has no missing document`)
    case 'unknown-documents':
      return invalidFields(
        refused.documentIds.slice(0, faultsMax).map((documentId) => {
          const field = `documentIds[${documentIds.indexOf(documentId)}]`
          const detail = `${field} is not in print run ${batchNumber}`
          return { field, code: 'NotFound', detail }
        }),
      )
    case 'not-postable':
      return new Problem(
        'print-run-conflict',
        `${refused.documentCount} of the documents cannot be posted on behalf of the provider`,
        refused.documents.map((document) => ({
          field: document.documentId,
          code: 'PrintRunConflict',
          detail: describeNotPostable(document, refused),
        })),
      )
  }
}
