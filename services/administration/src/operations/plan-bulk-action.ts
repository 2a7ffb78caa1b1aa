import { randomUUID } from 'node:crypto'
import { planBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import { needsSecondPerson } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { planBulkAction as planStored } from '@despatch/store/bulk-action/plan'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../actor-of.ts'
import { bulkActionDigest } from '../bulk-action-digest.ts'
import { getBulkActionDetails } from '../get-bulk-action-details.ts'

export type PlanBulkActionContext = {
  db: Db
  /** An action on more print jobs than this requires another operator's confirmation. */
  secondPersonAbove: number
  now: () => Date
}

/** POST /bulk-actions: plans an action on selected print jobs. Nothing is changed before its confirmation. */
export function planBulkAction(
  api: Api,
  { db, secondPersonAbove, now }: PlanBulkActionContext,
): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { bulkActionId: id = randomUUID(), action, printJobKeys, reason } = body
      const printJobCount = printJobKeys.length
      const needsSecond = needsSecondPerson(printJobCount, secondPersonAbove)
      const digest = bulkActionDigest(action, printJobKeys)
      const planned = await transact(db, async (tx) => {
        const outcome = await planStored(tx, {
          ...{ id, action, reason, digest, printJobKeys, needsSecondPerson: needsSecond },
          plannedBy: caller.consumerId,
          plannedAt: now(),
        })
        if (outcome === 'planned') {
          const detail = { bulkActionId: id, action, printJobCount, digest, reason }
          const actor = actorOf(caller)
          await insertAuditEvent(tx, { actor, action: 'bulk-action.planned', detail })
        }
        return outcome
      })
      if (planned === 'taken') {
        throw new Problem('bulk-action-conflict', `Another bulk action has the id ${id}`)
      }
      reply.code(planned === 'planned' ? 201 : 200)
      return getBulkActionDetails(db, id, now())
    },
  })
}
