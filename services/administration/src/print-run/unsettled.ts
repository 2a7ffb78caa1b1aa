import { invalidFields, Problem } from '@despatch/domain/problem'
import type { RecallAnswerOutcome } from '@despatch/store/recall/answer'
import type { RecallState } from '@despatch/store/schema-fulfilment'

type Refused = Extract<RecallAnswerOutcome, { kind: 'absent' | 'unknown-documents' }>

/** Limit for the unknown documents that a response names. */
const faultsMax = 100

/** Returns the problem of settling a recall, or of its count, that is not possible. */
export function unsettled(
  { recallId, tooLate }: { recallId: string; tooLate: readonly string[] },
  refused: Refused,
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
