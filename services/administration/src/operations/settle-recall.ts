import { createHash } from 'node:crypto'
import { settleRecall as operation } from '@despatch/contracts/administration/print-run-operations'
import { type RecallResponse, renderRecall } from '@despatch/contracts/administration/recall'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { type RecallAnswerOutcome, writeRecallAnswer } from '@despatch/store/recall/answer'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { findListedRecall } from '../print-run/recalls.ts'

type Settlement = { recallId: string; tooLate: readonly string[]; note: string; actor: string }

/** Limit for the unknown documents that a response names. */
const faultsMax = 100

/** POST /recalls/{recallId}/settle: answers a recall on behalf of a provider that cannot. */
export function settleRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { params, body, caller } = request
      const { recallId } = params
      const { tooLate = [], note } = body
      const settlement = { recallId, tooLate, note, actor: actorOf(caller) }
      const recall = await transact(db, (tx) => settleRecorded(tx, settlement))
      addToLogLine(request, { batchNumber: recall.batchNumber, recallId })
      return recall
    },
  })
}

async function settleRecorded(tx: Tx, settlement: Settlement): Promise<RecallResponse> {
  const { recallId, tooLate, note, actor } = settlement
  const recall = await findListedRecall(tx, recallId)
  if (!recall) throw recallNotFound(recallId)
  const { batchNumber, providerId } = recall
  const answerHash = hashSettlement(settlement)
  const answer = { providerId, recallId, actor, answerHash, tooLate, reason: note }
  const { isRepeat } = requireAnswered(settlement, await writeRecallAnswer(tx, answer))
  const settled = await findListedRecall(tx, recallId)
  if (!settled) throw recallNotFound(recallId)
  if (!isRepeat) {
    const { state, recalledCount, tooLateCount } = settled
    await insertAuditEvent(tx, {
      actor,
      action: 'recall.settled',
      detail: { recallId, batchNumber, providerId, state, recalledCount, tooLateCount, note },
    })
  }
  return renderRecall(settled)
}

/** Returns a hash that distinguishes a repeat from another answer, and from every answer of the provider. */
function hashSettlement({ tooLate, note }: Settlement): Buffer {
  const content = JSON.stringify(['operator', [...new Set(tooLate)].toSorted(), note])
  return createHash('sha256').update(content).digest()
}

function requireAnswered(
  { recallId, tooLate }: Settlement,
  outcome: RecallAnswerOutcome,
): Extract<RecallAnswerOutcome, { kind: 'answered' }> {
  switch (outcome.kind) {
    case 'answered':
      return outcome
    case 'absent':
      throw recallNotFound(recallId)
    case 'answered-otherwise':
      throw new Problem(
        'recall-answered',
        `Recall ${recallId} already has a different answer: it is ${outcome.state}`,
      )
    case 'unknown-documents':
      throw invalidFields(
        outcome.documentIds.slice(0, faultsMax).map((documentId) => {
          const field = `tooLate[${tooLate.indexOf(documentId)}]`
          const detail = `${field} is not a document of recall ${recallId}`
          return { field, code: 'NotFound', detail }
        }),
      )
  }
}

function recallNotFound(recallId: string): Problem {
  return new Problem('recall-not-found', `There is no recall ${recallId}`)
}
