import { countSettlement as operation } from '@despatch/contracts/administration/print-run-operations'
import type { SettlementCountResponse } from '@despatch/contracts/administration/recall'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { countStoppable } from '@despatch/store/recall/answer'
import { findListedRecall, hashSettlement } from '../print-run/recalls.ts'
import { recallAnswered, recallNotFound, unsettled } from '../print-run/refusals.ts'

/** POST /recalls/{recallId}/settle/count: counts the documents that settling a recall would stop. */
export function countSettlement(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: ({ params: { recallId }, body: { tooLate = [] } }) =>
      countSettled(db, { recallId, tooLate }),
  })
}

async function countSettled(
  db: Db,
  choice: { recallId: string; tooLate: readonly string[] },
): Promise<SettlementCountResponse> {
  const { recallId } = choice
  const recall = await findListedRecall(db, recallId)
  if (!recall) throw recallNotFound(recallId)
  const { batchNumber, providerId } = recall
  const counted = await countStoppable(db, { ...choice, providerId })
  if (counted.kind === 'already-answered') {
    // the choice is the same if it results in the same hash with the stored note
    const asked = hashSettlement({ ...choice, note: recall.answerReason })
    if (!counted.answerHash?.equals(asked)) throw recallAnswered(recallId, counted)
    const { recalledCount: documentCount, tooLateCount } = recall
    return { recallId, batchNumber, documentCount, tooLateCount }
  }
  if (counted.kind !== 'counted') throw unsettled(choice, counted)
  const { stoppedCount: documentCount, tooLateCount } = counted
  return { recallId, batchNumber, documentCount, tooLateCount }
}
