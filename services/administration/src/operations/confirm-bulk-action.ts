import { confirmBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import { type ConfirmDecision, decideConfirmation } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { getBulkActionDetails, lockBulkAction } from '../bulk-action/bulk-actions.ts'
import { actorOf } from '../operator/access.ts'
import { requireIndependence } from '../operator/second-person.ts'

type ConfirmBulkActionContext = {
  db: Db
  /** Starts the next pass of the runner now. */
  nudgeBulkActions: () => void
  now: () => Date
}

/**
 * POST /bulk-actions/{bulkActionId}/confirm: starts the action, if the caller names exactly what was planned. A large
 * action requires another operator than the one who planned it, who is independent of it.
 */
export function confirmBulkAction(
  api: Api,
  { db, nudgeBulkActions, now }: ConfirmBulkActionContext,
): void {
  api.route({
    ...operation,
    handler: async ({ params: { bulkActionId: id }, body, caller }) => {
      const at = now()
      await transact(db, async (tx) => {
        const facts = await lockBulkAction(tx, id)
        if (!facts) throw unknownBulkAction(id)
        const by = caller.consumerId
        const decision = decideConfirmation(facts, { ...body, confirmedBy: by }, at)
        refuse(decision, facts.printJobCount)
        if (decision.kind !== 'confirm') return
        if (facts.needsSecondPerson) {
          await requireIndependence(tx, { planner: facts.plannedBy, confirmer: by })
        }
        await startBulkAction(tx, { id, by, at })
        const detail = { bulkActionId: id, plannedBy: `consumer:${facts.plannedBy}`, ...body }
        const actor = actorOf(caller)
        await insertAuditEvent(tx, { actor, action: 'bulk-action.confirmed', detail })
      })
      nudgeBulkActions()
      return getBulkActionDetails(db, id, now())
    },
  })
}

function refuse(decision: ConfirmDecision, printJobCount: number): void {
  if (decision.kind === 'conflict') throw new Problem('bulk-action-conflict', decision.whyNot)
  if (decision.kind === 'own-plan') {
    throw new Problem(
      'not-permitted',
      `A bulk action on ${printJobCount} print jobs requires confirmation by a second person`,
    )
  }
}

/** Starts a planned bulk action. The caller has locked it and checked that it may start. */
export async function startBulkAction(
  tx: Tx,
  { id, by, at }: { id: string; by: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('bulk_action')
    .set({ state: 'RUNNING', confirmed_by: by, confirmed_at: at })
    .where('id', '=', id)
    .execute()
}
