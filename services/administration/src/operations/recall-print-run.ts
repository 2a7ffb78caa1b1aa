import { recallPrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { type NewRecall, type RecallOutcome, recallDocuments } from '@despatch/store/recall/request'
import { actorOf } from '../operator/access.ts'
import { unrecallable } from '../print-run/refusals.ts'

/** POST /print-runs/{batchNumber}/recalls: recalls documents that must not be posted. */
export function recallPrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, body, caller }, reply) => {
      const { batchNumber } = params
      const asked = { ...body, batchNumber, actor: actorOf(caller) }
      const outcome = await transact(db, (tx) => recallRecorded(tx, asked))
      const { documentCount } = outcome
      return outcome.kind === 'asked'
        ? reply.code(202).send({ batchNumber, recallId: outcome.recallId, documentCount })
        : reply.code(200).send({ batchNumber, documentCount })
    },
  })
}

type Recalled = Extract<RecallOutcome, { kind: 'asked' | 'recalled' }>

async function recallRecorded(tx: Tx, asked: NewRecall): Promise<Recalled> {
  const outcome = await recallDocuments(tx, asked)
  if (outcome.kind !== 'asked' && outcome.kind !== 'recalled') throw unrecallable(asked, outcome)
  const { batchNumber, reason, actor } = asked
  const { kind, ...result } = outcome
  await insertAuditEvent(tx, {
    actor,
    action: kind === 'asked' ? 'print-run.recall-asked' : 'print-run.recalled',
    detail: { batchNumber, ...result, reason },
  })
  return outcome
}
