import { invalidFields } from '@despatch/domain/problem'
import type { NewRecall, RecallOutcome } from '@despatch/store/recall/request'
import { printRunConflict, printRunNotFound } from './print-runs.ts'

type Refused = Exclude<RecallOutcome, { kind: 'asked' | 'recalled' }>

/** Returns the problem of a recall, or of its count, that is not possible. */
export function unrecallable(
  { batchNumber, documentIds = [], expectedCount }: Partial<NewRecall> & { batchNumber: string },
  refused: Refused,
): Error {
  switch (refused.kind) {
    case 'too-many':
      return printRunConflict(
        `Print run ${batchNumber} has ${refused.documentCount} such documents, more than ${expectedCount}. Nothing is recalled`,
      )
    case 'absent':
      return printRunNotFound(batchNumber)
    case 'unknown-documents':
      return invalidFields(
        refused.documentIds.map((documentId) => {
          const field = `documentIds[${documentIds.indexOf(documentId)}]`
          return { field, code: 'Invalid', detail: `${field} is not in print run ${batchNumber}` }
        }),
      )
    case 'nothing-left':
      return printRunConflict(
        `Print run ${batchNumber} has no such document that is neither reconciled nor already being recalled`,
      )
  }
}
