import { sql } from 'kysely'
import type { Tx } from '../database.ts'

type Move = { id: string; by: string; at: Date }

/** Starts a planned bulk action. The caller has locked it and checked that it may start. */
export async function confirmBulkAction(tx: Tx, { id, by, at }: Move): Promise<void> {
  await tx
    .updateTable('bulk_action')
    .set({ state: 'RUNNING', confirmed_by: by, confirmed_at: at })
    .where('id', '=', id)
    .execute()
}

/** Stops a bulk action: print jobs that were not begun are left undone. The caller has called `lockBulkActionItems`. */
export async function stopBulkAction(tx: Tx, { id, by, at }: Move): Promise<{ notBegun: number }> {
  await tx
    .updateTable('bulk_action')
    .set({ state: 'STOPPED', stopped_by: by, stopped_at: at, ended_at: at })
    .where('id', '=', id)
    .execute()
  const { rows } = await sql`
    update bulk_action_item set outcome = 'not-begun', at = ${at}
    where bulk_action_id = ${id} and outcome is null
    returning position`.execute(tx)
  return { notBegun: rows.length }
}

export type EndedBulkAction = { id: string; done: number; refused: number; absent: number }

/** Ends the bulk actions that have no print jobs left to do. */
export async function endBulkActions(tx: Tx, { at }: { at: Date }): Promise<EndedBulkAction[]> {
  const { rows } = await sql<EndedBulkAction>`
    with ended as (
      update bulk_action set state = 'ENDED', ended_at = ${at}
      where state = 'RUNNING' and not exists (
        select from bulk_action_item where bulk_action_id = bulk_action.id and outcome is null)
      returning id
    )
    select ended.id, count(*) filter (where outcome = 'done') as done,
      count(*) filter (where outcome = 'refused') as refused, count(*) filter (where outcome = 'absent') as absent
    from ended join bulk_action_item item on item.bulk_action_id = ended.id
    group by ended.id`.execute(tx)
  return rows
}
