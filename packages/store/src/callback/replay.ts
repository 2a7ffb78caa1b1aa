import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { Problem } from '@despatch/domain/problem'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { purgedBody } from '../purge/purged-body.ts'
import { type CallbackFilter, chosenBy } from './filter.ts'
import { nudgeDeliverers } from './nudge-deliverers.ts'
import { takingLock } from './taking-lock.ts'
import { isUnderWay } from './under-way.ts'

/** The number of callbacks, and when the first and the last of them became owed. */
type ReplayCount = { count: number; oldest: Date | null; newest: Date | null }

type Replay =
  | ({ kind: 'replayed' } & ReplayCount)
  /** The count differs from the expected one: nothing is replayed. */
  | { kind: 'differs'; count: number }
  | { kind: 'too-many' }

/**
 * Sends a callback again, at once, with the same bytes and id, in a new window of attempts. Leaves alone a callback
 * that is under way. Returns false if it does not exist or is another consumer's. Throws Problem
 * 'replay-conflict' if its message has been purged.
 */
export async function saveReplay(
  tx: Tx,
  { consumerId }: { consumerId?: string | undefined },
  id: string,
): Promise<boolean> {
  const chosen = sql`callback.id = ${id} and ${chosenBy({ consumerId })}`
  const { rows } = await sql<{ isPurged: boolean }>`
    select body = ${purgedBody} as "isPurged" from callback where ${chosen}`.execute(tx)
  const [found] = rows
  if (!found) return false
  const whyNot = whyNotPossible(callbackActions.replay, found)
  if (whyNot) throw new Problem('replay-conflict', whyNot)
  await holdTaking(tx)
  const keys = await lockLeftPrintJobs(tx, chosen)
  await sql`
    with chosen as (
      select id from callback where ${chosen} and ${isFree} for no key update
    ), ${replayed(keys)}
    select`.execute(tx)
  nudgeDeliverers(tx)
  return true
}

/** Counts what `saveReplays` would replay. Without a status, counts dead callbacks. */
export async function countReplayable(db: Db, filter: CallbackFilter): Promise<ReplayCount> {
  const { rows } = await sql<ReplayCount>`
    select ${tally} from callback where ${chosenBy(withStatus(filter))} and ${isFree}`.execute(db)
  return rows[0]!
}

/**
 * Replays all callbacks that a filter selects if their number is the expected one. Without a status, replays dead
 * callbacks. Skips callbacks that another transaction is changing.
 */
export async function saveReplays(
  tx: Tx,
  filter: CallbackFilter,
  { expectedCount, replaysMax }: { expectedCount: number; replaysMax: number },
): Promise<Replay> {
  const chosen = chosenBy(withStatus(filter))
  await holdTaking(tx)
  const keys = await lockLeftPrintJobs(tx, chosen)
  const { rows } = await sql<ReplayCount>`
    with found as materialized (
      select id, created_at from callback where ${chosen} and ${isFree}
      limit ${replaysMax + 1} for no key update skip locked
    ), chosen as (
      select id from found
      where (select count(*) from found) = ${expectedCount} and ${expectedCount} <= ${replaysMax}::integer
    ), ${replayed(keys)}
    select ${tally} from found callback`.execute(tx)
  const counted = rows[0]!
  if (counted.count > replaysMax) return { kind: 'too-many' }
  if (counted.count !== expectedCount) return { kind: 'differs', count: counted.count }
  nudgeDeliverers(tx)
  return { kind: 'replayed', ...counted }
}

const tally = sql`
  count(*) as count, min(callback.created_at) as oldest, max(callback.created_at) as newest`

// A call whose process died is under way until it is recorded as interrupted.
// The body shows whether the callback was purged, because a statement that has waited for a row re-reads only the
// columns of that row.
const isFree = sql`not ${isUnderWay} and callback.body <> ${purgedBody}`

/** Lets no callback be taken while it is changed to be sent again. */
async function holdTaking(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${takingLock})`.execute(tx)
}

function withStatus(filter: CallbackFilter): CallbackFilter {
  return { ...filter, status: filter.status ?? 'DEAD' }
}

/**
 * Locks the print jobs whose consumer was gone; a replay means that it is back. They are locked before their callbacks,
 * as all code does.
 */
async function lockLeftPrintJobs(tx: Tx, chosen: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job
    where callback_gone_at is not null and key in (select print_job_key from callback where ${chosen})
    order by key for no key update`.execute(tx)
  return rows.map(({ key }) => key)
}

const replayed = (keys: readonly string[]) => sql`
  returned as (
    update print_job set callback_gone_at = null
    where key = any (${[...keys]}::uuid[]) and exists (select from chosen)
  ), replayed as (
    update callback set
      state = case when strict_contract_id is null then 'DUE' else 'WAITING' end,
      due_at = case when strict_contract_id is null then now() end,
      owed_since = now(),
      attempts_before = attempts,
      first_attempt_at = null,
      window_ends_at = null,
      end_reason = null,
      ended_at = null,
      replays = replays + 1,
      attempt_epoch = attempt_epoch + 1
    from chosen where callback.id = chosen.id
    returning callback.id
  )`
