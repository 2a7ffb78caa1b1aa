import { recallPrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { type NewRecall, type RecallOutcome, recallDocuments } from '@despatch/store/recall/request'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { printRunConflict, printRunNotFound } from '../print-run/print-runs.ts'

/** POST /print-runs/{batchNumber}/recalls: recalls documents that must not be posted. A dry run counts them. */
export function recallPrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, body, caller }, reply) => {
      const { batchNumber } = params
      const asked = { ...body, batchNumber, actor: actorOf(caller) }
      const outcome = await transact(db, (tx) => recallRecorded(tx, asked))
      const { documentCount } = outcome
      if (outcome.kind === 'counted') {
        return reply.code(200).send({ batchNumber, documentCount, dryRun: true as const })
      }
      return outcome.kind === 'asked'
        ? reply.code(202).send({ batchNumber, recallId: outcome.recallId, documentCount })
        : reply.code(200).send({ batchNumber, documentCount })
    },
  })
}

type Recalled = Extract<RecallOutcome, { kind: 'asked' | 'recalled' | 'counted' }>

async function recallRecorded(tx: Tx, asked: NewRecall): Promise<Recalled> {
  const outcome = requireRecallable(asked, await recallDocuments(tx, asked))
  const { batchNumber, reason, actor } = asked
  const { kind, ...result } = outcome
  if (kind === 'counted') return outcome
  await insertAuditEvent(tx, {
    actor,
    action: kind === 'asked' ? 'print-run.recall-asked' : 'print-run.recalled',
    detail: { batchNumber, ...result, reason },
  })
  return outcome
}

function requireRecallable(
  { batchNumber, documentIds = [], dryRun, expectedCount }: NewRecall,
  outcome: RecallOutcome,
): Recalled {
  switch (outcome.kind) {
    case 'asked':
    case 'recalled':
      return outcome
    case 'counted':
      if (dryRun) return outcome
      throw printRunConflict(
        `Print run ${batchNumber} has ${outcome.documentCount} such documents, not ${expectedCount}. Nothing is recalled`,
      )
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'unknown-documents':
      throw invalidFields(
        outcome.documentIds.map((documentId) => {
          const field = `documentIds[${documentIds.indexOf(documentId)}]`
          return { field, code: 'Invalid', detail: `${field} is not in print run ${batchNumber}` }
        }),
      )
    case 'nothing-left':
      throw printRunConflict(
        `Print run ${batchNumber} has no such document that is neither reconciled nor already being recalled`,
      )
  }
}
