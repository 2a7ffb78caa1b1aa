import { stopBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import { decideStop } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'
import { getBulkActionDetails, lockBulkAction } from '../bulk-action/bulk-actions.ts'
import { lockBulkActionItems, outcomeCounts } from '../bulk-action/items.ts'
import { actorOf } from '../operator/access.ts'

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
        const { notBegun } = await stopAndCount(tx, { id, by: caller.consumerId, at })
        const detail = { bulkActionId: id, notBegun }
        const actor = actorOf(caller)
        await insertAuditEvent(tx, { actor, action: 'bulk-action.stopped', detail })
      })
      return getBulkActionDetails(db, id, now())
    },
  })
}

/** Stops a bulk action: print jobs that were not begun are left undone. The caller has called `lockBulkActionItems`. */
async function stopAndCount(
  tx: Tx,
  { id, by, at }: { id: string; by: string; at: Date },
): Promise<{ notBegun: number }> {
  const { rows } = await sql`
    update bulk_action_item set outcome = 'not-begun', at = ${at}
    where bulk_action_id = ${id} and outcome is null
    returning position`.execute(tx)
  await sql`
    update bulk_action set state = 'STOPPED', stopped_by = ${by}, stopped_at = ${at}, ended_at = ${at}, ${outcomeCounts}
    where id = ${id}`.execute(tx)
  return { notBegun: rows.length }
}
