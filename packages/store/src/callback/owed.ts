import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { CallbackKind } from '../schema.ts'

/** A callback that a print job owes from now on: the `sequence`th, whose message has the callback's id. */
export type OwedCallback = { id: string; key: string; sequence: number; body: Buffer }

/**
 * Saves callbacks that are owed, with their wake-ups. The caller has counted them in print_job.callback_sequence in the same
 * transaction. `status` is the one that the print jobs have.
 */
export async function insertOwedCallbacks(
  tx: Tx,
  owed: readonly OwedCallback[],
  { kind, status }: { kind: CallbackKind; status: PrintJobStatus },
): Promise<void> {
  if (owed.length === 0) return
  await sql`
    with callback as (
      insert into callback (id, print_job_key, sequence, kind, status, body, due_at)
      select id, key, sequence, ${kind}, ${status}, body, now()
      from unnest(${owed.map(({ id }) => id)}::uuid[], ${owed.map(({ key }) => key)}::uuid[],
        ${owed.map(({ sequence }) => sequence)}::integer[], ${owed.map(({ body }) => body)}::bytea[])
        as row (id, key, sequence, body)
      returning id
    )
    insert into outbox (queue, subject, epoch) select 'callback', id, 0 from callback`.execute(tx)
}
