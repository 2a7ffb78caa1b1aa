import { stopBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import { decideStop } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { lockBulkAction } from '@despatch/store/bulk-action/find'
import { lockBulkActionItems } from '@despatch/store/bulk-action/lock-items'
import { stopBulkAction as stopStored } from '@despatch/store/bulk-action/transitions'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../actor-of.ts'
import { getBulkActionDetails } from '../get-bulk-action-details.ts'

/** POST /bulk-actions/{bulkActionId}/stop: print jobs that the action has not reached stay unchanged. */
export function stopBulkAction(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ params: { bulkActionId: id }, caller }) => {
      const at = now()
      await transact(db, async (tx) => {
        await lockBulkActionItems(tx, id)
        const facts = await lockBulkAction(tx, id)
        if (!facts) throw unknownBulkAction(id)
        const decision = decideStop(facts, at)
        if (decision.kind === 'conflict') {
          throw new Problem('bulk-action-conflict', decision.whyNot)
        }
        if (decision.kind === 'stopped-already') return
        const { notBegun } = await stopStored(tx, { id, by: caller.consumerId, at })
        const detail = { bulkActionId: id, notBegun }
        const actor = actorOf(caller)
        await insertAuditEvent(tx, { actor, action: 'bulk-action.stopped', detail })
      })
      return getBulkActionDetails(db, id, now())
    },
  })
}
