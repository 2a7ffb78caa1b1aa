import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { isUuid } from '@despatch/store/is-uuid'
import { answerRecall, type RecallAnswer } from '@despatch/store/recall/answer'
import { hashRequest } from '../request/request-hash.ts'

/** Saves the caller's answer to a recall, and returns the recall with that answer. */
export async function saveRecallAnswer(db: Db, answer: Omit<RecallAnswer, 'answerHash'>) {
  const { recallId, tooLate, reason = null } = answer
  if (!isUuid(recallId)) throw recallNotFound(recallId)
  const answerHash = hashRequest([tooLate === 'all' || [...new Set(tooLate)].toSorted(), reason])
  const outcome = await answerRecall(db, { ...answer, answerHash })
  switch (outcome.kind) {
    case 'answered':
      return outcome.recall
    case 'absent':
      throw recallNotFound(recallId)
    case 'answered-otherwise':
      throw new Problem(
        'recall-answered',
        `Recall request ${recallId} already has a different answer`,
      )
    case 'unknown-documents': {
      const unknown = new Set(outcome.documentIds)
      throw invalidFields(
        [...tooLate].flatMap((documentId, index) => {
          if (!unknown.has(documentId)) return []
          const field = `tooLate[${index}]`
          const detail = `${field} is not a document of recall request ${recallId}`
          return [{ field, code: 'NotFound', detail }]
        }),
      )
    }
  }
}

function recallNotFound(recallId: string): Problem {
  return new Problem('recall-not-found', `There is no recall request ${recallId}`)
}
