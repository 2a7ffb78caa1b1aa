import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

export type NewBulkAction = {
  id: string
  action: BulkActionKind
  /** No personal information. */
  reason: string
  digest: string
  /** In the order of execution, without duplicates. */
  printJobKeys: readonly string[]
  needsSecondPerson: boolean
  /** Consumer id of the operator. */
  plannedBy: string
  plannedAt: Date
}

/**
 * Saves a plan; it changes no print job. Returns `repeated` if the same plan exists, `taken` if another plan has the
 * id.
 */
export async function planBulkAction(
  tx: Tx,
  plan: NewBulkAction,
): Promise<'planned' | 'repeated' | 'taken'> {
  const { id, action, reason, digest, printJobKeys, plannedBy } = plan
  const inserted = await tx
    .insertInto('bulk_action')
    .values({
      id,
      action,
      reason,
      digest,
      print_job_count: printJobKeys.length,
      needs_second_person: plan.needsSecondPerson,
      planned_by: plannedBy,
      planned_at: plan.plannedAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) {
    const same = await tx
      .selectFrom('bulk_action')
      .select('id')
      .where('id', '=', id)
      .where('digest', '=', digest)
      .where('reason', '=', reason)
      .where('planned_by', '=', plannedBy)
      .executeTakeFirst()
    return same ? 'repeated' : 'taken'
  }
  await sql`
    insert into bulk_action_item (bulk_action_id, position, print_job_key, print_job_id)
    select ${id}, chosen.position, chosen.key, job.id
    from unnest(${printJobKeys}::uuid[]) with ordinality as chosen (key, position)
    left join print_job job on job.key = chosen.key`.execute(tx)
  return 'planned'
}
