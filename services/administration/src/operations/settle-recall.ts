import { settleRecall as operation } from '@despatch/contracts/administration/print-run-operations'
import type { StoredRecall } from '@despatch/contracts/administration/recall'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { lockPrintRun } from '@despatch/store/print-run/lock'
import {
  countStoppable,
  type RecallAnswerOutcome,
  type RecallSettlement,
  writeRecallAnswer,
} from '@despatch/store/recall/answer'
import { actorOf } from '../operator/access.ts'
import { findListedRecall, hashSettlement } from '../print-run/recalls.ts'
import {
  printRunConflict,
  recallAnswered,
  recallNotFound,
  unsettled,
} from '../print-run/refusals.ts'

type Settlement = {
  recallId: string
  tooLate: readonly string[]
  note: string
  actor: string
  expectedCount?: number | undefined
}

/** POST /recalls/{recallId}/settle: answers a recall on behalf of a provider that cannot. */
export function settleRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { params, body, caller } = request
      const { recallId } = params
      const { tooLate = [], note, expectedCount } = body
      const settlement = { recallId, tooLate, note, expectedCount, actor: actorOf(caller) }
      const recall = await transact(db, (tx) => settleRecorded(tx, settlement))
      addToLogLine(request, { batchNumber: recall.batchNumber, recallId })
      return recall
    },
  })
}

async function settleRecorded(tx: Tx, settlement: Settlement): Promise<StoredRecall> {
  const { recallId, tooLate, note, actor, expectedCount } = settlement
  const recall = await findListedRecall(tx, recallId)
  if (!recall) throw recallNotFound(recallId)
  const { batchNumber, providerId } = recall
  const answerHash = hashSettlement(settlement)
  const answer = { providerId, recallId, actor, answerHash, tooLate, reason: note }
  if (expectedCount !== undefined) {
    await requireAtMost(tx, { ...answer, batchNumber }, expectedCount)
  }
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
  return settled
}

/** A repeat stops nothing, so any count is enough. The count holds until the transaction ends. */
async function requireAtMost(
  tx: Tx,
  answer: RecallSettlement & { batchNumber: string },
  expectedCount: number,
): Promise<void> {
  await lockPrintRun(tx, answer)
  const counted = await countStoppable(tx, answer)
  if (counted.kind !== 'counted' || counted.stoppedCount <= expectedCount) return
  const would = `Settling recall ${answer.recallId} would stop ${counted.stoppedCount} documents`
  throw printRunConflict(`${would}, more than ${expectedCount}. Nothing is settled`)
}

function requireAnswered(
  settlement: Settlement,
  outcome: RecallAnswerOutcome,
): Extract<RecallAnswerOutcome, { kind: 'answered' }> {
  const { recallId } = settlement
  switch (outcome.kind) {
    case 'answered':
      return outcome
    case 'answered-otherwise':
      throw recallAnswered(recallId, outcome)
    default:
      throw unsettled(settlement, outcome)
  }
}
