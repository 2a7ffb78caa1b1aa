import type { CallbackKind } from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { nudgeDeliverers } from './nudge-deliverers.ts'

/** A callback that a print job owes from now on: the `sequence`th. Its message contains the callback's id. */
export type NewCallback = { id: string; key: string; sequence: number; body: Buffer }

/**
 * Saves owed callbacks, and nudges those that deliver them. The caller has counted them in print_job.callback_sequence in
 * the same transaction. `status` is the current status of the print jobs. If the consumer answered 410 Gone for a print
 * job, its callbacks are saved as dead. A callback in strict order waits for those before it.
 */
export async function insertCallbacks(
  tx: Tx,
  owed: readonly NewCallback[],
  { kind, status }: { kind: Exclude<CallbackKind, 'test'>; status: PrintJobStatus },
): Promise<void> {
  if (owed.length === 0) return
  await sql`
    insert into callback
        (id, print_job_key, sequence, kind, status, body, consumer_id, origin, strict_contract_id, calls_max, state, end_reason, due_at, ended_at)
      select row.id, row.key, row.sequence, ${kind}, ${status}, row.body, job.consumer_id,
        coalesce(job.callback_origin, 'unknown'), job.strict_contract_id, job.calls_max, job.state,
        case when job.state = 'DEAD' then 'gone' end,
        case when job.state = 'DUE' then now() end,
        case when job.state = 'DEAD' then now() end
      from unnest(${owed.map(({ id }) => id)}::uuid[], ${owed.map(({ key }) => key)}::uuid[],
        ${owed.map(({ sequence }) => sequence)}::integer[], ${owed.map(({ body }) => body)}::bytea[])
        with ordinality as row (id, key, sequence, body, place)
      cross join lateral (
        select print_job.consumer_id, callback_origin, callback_concurrency as calls_max,
          case when callback_order = 'strict' then contract.id end as strict_contract_id,
          case when callback_gone_at is not null then 'DEAD' when callback_order = 'strict' then 'WAITING' else 'DUE' end
            as state
        from print_job join contract on contract.id = print_job.contract_id
        where print_job.key = row.key offset 0
      ) job
      order by row.place`.execute(tx)
  nudgeDeliverers(tx)
}
