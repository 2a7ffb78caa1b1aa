import {
  DependencyUnavailable,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import { untilAnswered } from './lost-reply.ts'

/** Identifies a transaction after its COMMIT. `xid` is null if it has written nothing. */
export type TransactionMark = {
  xid: string | null
  lsn: string | null
  checkpoint: string
  /** When the transaction and its server began, by the clock of the server. */
  began: string
  serverBegan: string
}

/** The last statement before COMMIT. It reads no tables, so it costs one round trip (about 0.1 ms). */
export const markTransaction = `/* prepared: mark-transaction */
  select pg_current_xact_id_if_assigned()::text as xid,
    case when pg_current_xact_id_if_assigned() is not null then pg_current_wal_insert_lsn()::text end as lsn,
    checkpoint_lsn::text as checkpoint,
    now()::text as began,
    pg_postmaster_start_time()::text as "serverBegan"
  from pg_control_checkpoint()`

/**
 * A crash loses write-ahead log that was not flushed, and later transactions get the same ids again. Recovery ends with
 * a checkpoint: a new checkpoint that lies before the mark means that the log of the transaction is lost. Without a
 * crash, a checkpoint can look like this too, if it is written to the log before the mark is taken and to the control
 * file after. Two signs tell them apart: a crash resets the statistics, and a promoted standby began at another time.
 */
const findOutcome = `
  select pg_xact_status($1::text::xid8) as status,
    checkpoint_lsn <> $3::pg_lsn and checkpoint_lsn < $2::pg_lsn
      and (stats_reset < $4::timestamptz and pg_postmaster_start_time() = $5::timestamptz) is not true as "isLogLost"
  from pg_control_checkpoint(), pg_stat_wal`

type Outcome = { status: 'committed' | 'aborted' | 'in progress' | null; isLogLost: boolean }

/** Sends one statement on its own connection and returns the first row. */
type Ask = (text: string, values: readonly unknown[]) => Promise<unknown>

/**
 * Returns normally if a transaction whose COMMIT failed is committed nevertheless. Throws the fault of COMMIT if
 * nothing is committed. Throws DependencyUnavailable if the database cannot say, or does not answer in time.
 */
export async function confirmCommit(
  mark: TransactionMark,
  fault: unknown,
  ask: Ask,
): Promise<void> {
  if (unavailableDependency(fault) !== 'database') throw fault
  const { xid, lsn, checkpoint, began, serverBegan } = mark
  if (xid === null) return
  const status = await untilAnswered(async () => {
    const outcome = await askOutcome(ask, [xid, lsn, checkpoint, began, serverBegan])
    // The server has not yet noticed that the connection is closed.
    if (outcome.status === 'in progress') return undefined
    return outcome.status === 'committed' && outcome.isLogLost ? 'unknown' : outcome.status
  }, fault)
  if (status === 'aborted') throw fault
  if (status !== 'committed') throw new DependencyUnavailable('database', { cause: fault })
}

async function askOutcome(ask: Ask, values: readonly unknown[]): Promise<Outcome> {
  try {
    return (await ask(findOutcome, values)) as Outcome
  } catch (error) {
    if ((error as { code?: unknown }).code !== idInTheFuture) throw error
    return { status: 'aborted', isLogLost: true }
  }
}

/** SQLSTATE for an id that was never assigned: a crash has lost the transaction. */
const idInTheFuture = '22023'
