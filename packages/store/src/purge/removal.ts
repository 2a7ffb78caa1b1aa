import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'
import type { DoomCause, StoredObject } from './doomed.ts'
import { isInUse } from './objects.ts'

/** Doomed bytes that this process removes, until its lease ends. Nobody comes to name them meanwhile. */
export type TakenObject = StoredObject & {
  cause: DoomCause
  doom: number
  lease: string
  lane: number
}

/** Spells DOOM: the first half of the locks that the triggers on what names bytes share. */
const laneLocks = 0x444f4f4d
/**
 * Behind the last lane. Of all removals one at a time waits for a lane: two who wait for two lanes, and two who hold one each and
 * name bytes of the other, would stand still until the database lets one of them past a second later.
 */
const turnLock = 256
/**
 * After the lease of a removal that failed or whose process died: until the next try whoever needs the bytes stores them and
 * lifts the bar, so that an object that cannot be removed is in nobody's way for long.
 */
const restSeconds = 600
/** Longer than any transaction, request or step, so that whoever stored the bytes before they went has ended. */
const barredHours = 24

/**
 * Takes doomed bytes that seem to be in no use and bars them, so that from now on naming them fails. Forgets those that are in
 * use. With `only`, of these, also where a removal failed lately. `isMore`: as many as it looks at were due.
 */
export async function takeDoomed(
  db: Db,
  {
    objectsMax,
    leaseSeconds,
    only,
  }: { objectsMax: number; leaseSeconds: number; only?: readonly StoredObject[] },
): Promise<{ taken: TakenObject[]; isMore: boolean }> {
  const chosen = only
    ? sql`and (kind, sha256) in (
        select kind, decode(sha256, 'hex')
        from json_to_recordset(${JSON.stringify(only)}::json) as row (kind text, sha256 text))`
    : sql``
  return transact(db, async (tx) => {
    const { rows: due } = await sql<{ kind: string; sha256: string }>`
      select kind, encode(sha256, 'hex') as sha256 from doomed_object
      where is_due ${chosen}
        and (lease_until is null
          or lease_until < now() - case when is_barred then ${only ? 0 : restSeconds}::integer else 0 end * interval '1 second')
      order by since limit ${objectsMax} for update skip locked`.execute(tx)
    if (due.length === 0) return { taken: [], isMore: false }
    // A second statement: it sees whatever was committed before these rows were held.
    const { rows } = await sql<TakenObject>`
      with due as materialized (
        select doomed.*, ${isInUse('doomed')} as is_in_use
        from json_to_recordset(${JSON.stringify(due)}::json) as row (kind text, sha256 text)
        join doomed_object doomed on doomed.kind = row.kind and doomed.sha256 = decode(row.sha256, 'hex')
      ), kept as (
        delete from doomed_object doomed using due
        where doomed.kind = due.kind and doomed.sha256 = due.sha256 and due.is_in_use and not due.is_barred
      )
      update doomed_object doomed set
        is_barred = true, lease_until = clock_timestamp() + ${leaseSeconds}::integer * interval '1 second'
      from due
      where doomed.kind = due.kind and doomed.sha256 = due.sha256 and (due.is_barred or not due.is_in_use)
      returning doomed.kind, encode(doomed.sha256, 'hex') as sha256, doomed.cause, doomed.doom,
        doomed.lease_until::text as lease, object_lane(doomed.kind, doomed.sha256) as lane`.execute(
      tx,
    )
    return { taken: rows, isMore: due.length === objectsMax }
  })
}

/**
 * Waits for the transactions that came to name bytes before these were barred, and gives those that nobody uses: they may be
 * removed until the lease ends. The others are in use again, and named freely.
 */
export async function keepUsed(db: Db, taken: readonly TakenObject[]): Promise<TakenObject[]> {
  if (taken.length === 0) return []
  // Each is a transaction of its own: it gets the lock when all who share it have ended, and holds it no longer.
  for (const lane of new Set(taken.map(({ lane }) => lane))) {
    await transact(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(${laneLocks}::integer, ${turnLock}::integer)`.execute(
        tx,
      )
      await sql`select pg_advisory_xact_lock(${laneLocks}::integer, ${lane}::integer)`.execute(tx)
    })
  }
  const rows = await transact(db, async (tx) => {
    // Held first: whoever dooms them anew while it is looked up waits, and is not forgotten with the row.
    await sql`select from ${holding(taken)} order by doomed.kind, doomed.sha256 for update of doomed`.execute(
      tx,
    )
    const { rows: unusedRows } = await sql<{ sha256: string; kind: string }>`
      with held as materialized (
        select doomed.*, row.doom as seen, ${isInUse('doomed')} as is_in_use from ${holding(taken)}
      ), unbarred as (
        update doomed_object doomed set is_barred = false, lease_until = null from held
        where doomed.kind = held.kind and doomed.sha256 = held.sha256 and doomed.lease_until = held.lease_until
          and held.is_in_use and doomed.doom <> held.seen
      ), kept as (
        delete from doomed_object doomed using held
        where doomed.kind = held.kind and doomed.sha256 = held.sha256 and doomed.lease_until = held.lease_until
          and held.is_in_use and doomed.doom = held.seen
      )
      select kind, encode(sha256, 'hex') as sha256 from held where not is_in_use`.execute(tx)
    return unusedRows
  })
  const unused = new Set(rows.map(({ kind, sha256 }) => `${kind} ${sha256}`))
  return taken.filter(({ kind, sha256 }) => unused.has(`${kind} ${sha256}`))
}

/** Notes that bytes are gone. What was doomed anew meanwhile, since somebody may have stored it anew, is due again. */
export async function endRemovals(db: Db, removed: readonly TakenObject[]): Promise<void> {
  if (removed.length === 0) return
  await sql`
    update doomed_object ended set
      is_due = doomed.doom <> row.doom, since = clock_timestamp(), lease_until = null
    from ${holding(removed)}
    where ended.kind = doomed.kind and ended.sha256 = doomed.sha256 and ended.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/** Leaves bytes for later: they stay doomed, and are named freely meanwhile. */
export async function putOffRemovals(
  db: Db,
  left: readonly TakenObject[],
  { seconds }: { seconds: number },
): Promise<void> {
  if (left.length === 0) return
  await sql`
    update doomed_object late set
      is_barred = false, lease_until = clock_timestamp() + ${seconds}::integer * interval '1 second'
    from ${holding(left)}
    where late.kind = doomed.kind and late.sha256 = doomed.sha256 and late.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/** Gives up what nothing was begun with: whoever needs the bytes stores them at once. It is tried again later. */
export async function letGo(db: Db, left: readonly TakenObject[]): Promise<void> {
  if (left.length === 0) return
  await sql`
    update doomed_object free set lease_until = clock_timestamp()
    from ${holding(left)}
    where free.kind = doomed.kind and free.sha256 = doomed.sha256 and free.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/** Forgets bytes that went so long ago that nobody can mean those of before. */
export async function forgetRemoved(db: Db): Promise<void> {
  await sql`
    delete from doomed_object
    where not is_due and since < now() - ${barredHours}::integer * interval '1 hour'`.execute(db)
}

/** The rows of what was taken, while its lease is ours. */
function holding(taken: readonly TakenObject[]) {
  const rows = taken.map(({ kind, sha256, doom, lease }) => ({ kind, sha256, doom, lease }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)
      as row (kind text, sha256 text, doom bigint, lease timestamptz)
    join doomed_object doomed on doomed.kind = row.kind and doomed.sha256 = decode(row.sha256, 'hex')
      and doomed.lease_until = row.lease`
}
