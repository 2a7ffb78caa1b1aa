import type { PrintRunState } from '@despatch/domain/print-run/state'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { findPrintRunDetails, type PrintRunDetails } from '@despatch/store/print-run/details'
import type { Unreassignable } from '@despatch/store/print-run/reassign'
import type { RecallAnswerOutcome } from '@despatch/store/recall/answer'
import type { NewRecall, RecallOutcome } from '@despatch/store/recall/request'
import type { RecallState } from '@despatch/store/schema-fulfilment'
import { describeNotPostable } from './not-postable.ts'
import type { PostingChoice, PostingRefusal } from './posting-on-behalf.ts'

/** Returns a print run. Throws a Problem if there is none. */
export async function requirePrintRun(db: Db, batchNumber: string): Promise<PrintRunDetails> {
  const run = await findPrintRunDetails(db, batchNumber)
  if (!run) throw printRunNotFound(batchNumber)
  return run
}

export function printRunNotFound(batchNumber: string): Problem {
  return new Problem('print-run-not-found', `There is no print run ${batchNumber}`)
}

/** Returns the Problem of an action that the state of the print run does not allow. */
export function printRunRefusal(
  { batchNumber, state }: { batchNumber: string; state: PrintRunState },
  whyNot: string,
): Problem {
  return printRunConflict(`Print run ${batchNumber} is ${state}: ${whyNot}`)
}

export function printRunConflict(detail: string): Problem {
  return new Problem('print-run-conflict', detail)
}

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

/** Returns the problem of a reassignment, or of its count, that is possible to no site. */
export function unreassignable(batchNumber: string, refused: Unreassignable): Error {
  switch (refused.kind) {
    case 'absent':
      return printRunNotFound(batchNumber)
    case 'not-movable':
      return printRunRefusal(refused.run, refused.whyNot)
    case 'empty':
      return printRunConflict(`Print run ${batchNumber} has no documents left to reassign`)
    case 'asked-back':
      return printRunConflict(
        `The remaining documents of print run ${batchNumber} are being recalled. Settle the recall first: ${refused.recallIds.map(settleCommand).join(', ')}`,
      )
  }
}

function settleCommand(recallId: string): string {
  return `npx despatch runs settle-recall ${recallId} --note <text> --too-late <documentId>... or --all-stopped`
}

type UnrecallableOutcome = Exclude<RecallOutcome, { kind: 'asked' | 'recalled' }>

/** Returns the problem of a recall, or of its count, that is not possible. */
export function unrecallable(
  { batchNumber, documentIds = [], expectedCount }: Partial<NewRecall> & { batchNumber: string },
  refused: UnrecallableOutcome,
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

type UnsettledOutcome = Extract<RecallAnswerOutcome, { kind: 'absent' | 'unknown-documents' }>

/** Returns the problem of settling a recall, or of its count, that is not possible. */
export function unsettled(
  { recallId, tooLate }: { recallId: string; tooLate: readonly string[] },
  refused: UnsettledOutcome,
): Problem {
  if (refused.kind === 'absent') return recallNotFound(recallId)
  return invalidFields(
    refused.documentIds.slice(0, faultsMax).map((documentId) => {
      const field = `tooLate[${tooLate.indexOf(documentId)}]`
      const detail = `${field} is not a document of recall ${recallId}`
      return { field, code: 'NotFound', detail }
    }),
  )
}

export function recallAnswered(recallId: string, { state }: { state: RecallState }): Problem {
  return new Problem(
    'recall-answered',
    `Recall ${recallId} already has a different answer: it is ${state}`,
  )
}

export function recallNotFound(recallId: string): Problem {
  return new Problem('recall-not-found', `There is no recall ${recallId}`)
}
