import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'
import { lockPrintRun, type PrintRunRef } from './lock.ts'

export type LeaseOutcome =
  | { kind: 'renewed'; leaseUntil: Date }
  | { kind: 'absent' }
  | { kind: 'not-claimed' }
  | { kind: 'acknowledged' }
  | { kind: 'moved' }

/**
 * Extends the provider's lease to `leaseSeconds` from now; a lease never becomes shorter. An expired lease is renewed
 * too, because the run is still the provider's and still frozen.
 */
export async function renewLease(
  db: Db,
  { leaseSeconds, ...ref }: PrintRunRef & { leaseSeconds: number },
): Promise<LeaseOutcome> {
  return transact(db, async (tx) => {
    const run = await lockPrintRun(tx, ref)
    if (!run) return { kind: 'absent' }
    if (run.state === 'VOIDED') return { kind: 'moved' }
    if (run.acknowledgedAt) return { kind: 'acknowledged' }
    if (run.state !== 'CLAIMED') return { kind: 'not-claimed' }

    const { rows } = await sql<{ leaseUntil: Date }>`
      update print_run
      set lease_until = greatest(lease_until, now() + ${leaseSeconds}::integer * interval '1 second')
      where batch_number = ${run.batchNumber}
      returning lease_until as "leaseUntil"`.execute(tx)
    return { kind: 'renewed', leaseUntil: rows[0]!.leaseUntil }
  })
}
