import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import type { DeletionCause, StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { sql } from 'kysely'

/**
 * Bytes marked for deletion that this process may remove until its lease expires. They are barred: no transaction can
 * name them in the meantime.
 */
export type TakenObject = StoredObject & {
  cause: DeletionCause
  doom: number
  lease: string
  lock: number
}

/** Spells DOOM: the first half of the advisory locks that the triggers on tables naming bytes share. */
const objectLocks = 0x444f4f4d
/**
 * The second half of a further lock, after the locks of objects. It lets one removal at a time wait for a lock
 * of objects. Otherwise two removals would deadlock if they wait for two, or if each has one and names bytes of the other.
 * PostgreSQL resolves that only after a second.
 */
const turnLock = 256
/**
 * How long after the end of its lease a removal that failed, or whose process died, is retried, in seconds. In the
 * meantime, a process that needs the bytes stores them again and lifts the bar. An object that cannot be removed
 * therefore does not block anybody for long.
 */
const restSeconds = 600
/**
 * Longer than any transaction, request or step, so that by then every process that stored the bytes before their
 * removal has ended.
 */
const barredHours = 24

/**
 * Leases bytes marked for deletion that seem unused, and bars them, so that no transaction can name them from now on.
 * Removes the mark from bytes that are in use. With `only`, takes only these, even if a removal failed recently.
 * `isMore`: the page was full.
 */
export async function takeObjectsToDelete(
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
    // A second statement, so that it sees everything that was committed before these rows were locked.
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
        doomed.lease_until::text as lease, object_lock(doomed.kind, doomed.sha256) as lock`.execute(
      tx,
    )
    return { taken: rows, isMore: due.length === objectsMax }
  })
}

/**
 * Waits for the transactions that named bytes before these were barred, and returns the bytes that no print job uses:
 * they may be removed until the lease expires. The others are in use again, and their bar is lifted.
 */
export async function keepUsed(db: Db, taken: readonly TakenObject[]): Promise<TakenObject[]> {
  if (taken.length === 0) return []
  // One statement, and so one transaction, per lock: it gets the lock when all transactions that share it have ended, and
  // releases it at once. The turn comes first, because its row leads to the lock of objects.
  for (const lock of new Set(taken.map(({ lock }) => lock))) {
    await sql`
      with turn as materialized (
        select pg_advisory_xact_lock(${objectLocks}::integer, ${turnLock}::integer)::text as taken
      )
      select pg_advisory_xact_lock(${objectLocks}::integer, ${lock}::integer)
      from turn where turn.taken is not null`.execute(db)
  }
  const rows = await transact(db, async (tx) => {
    // Locks first. A concurrent mark for deletion waits, and is not lost when the row is deleted.
    await sql`select from ${leasedRows(taken)} order by doomed.kind, doomed.sha256 for update of doomed`.execute(
      tx,
    )
    const { rows: unusedRows } = await sql<{ sha256: string; kind: string }>`
      with leased as materialized (
        select doomed.*, row.doom as seen, ${isInUse('doomed')} as is_in_use from ${leasedRows(taken)}
      ), unbarred as (
        update doomed_object doomed set is_barred = false, lease_until = null from leased
        where doomed.kind = leased.kind and doomed.sha256 = leased.sha256 and doomed.lease_until = leased.lease_until
          and leased.is_in_use and doomed.doom <> leased.seen
      ), kept as (
        delete from doomed_object doomed using leased
        where doomed.kind = leased.kind and doomed.sha256 = leased.sha256 and doomed.lease_until = leased.lease_until
          and leased.is_in_use and doomed.doom = leased.seen
      )
      select kind, encode(sha256, 'hex') as sha256 from leased where not is_in_use`.execute(tx)
    return unusedRows
  })
  const unused = new Set(rows.map(({ kind, sha256 }) => `${kind} ${sha256}`))
  return taken.filter(({ kind, sha256 }) => unused.has(`${kind} ${sha256}`))
}

/**
 * Records that bytes were removed. Bytes that were marked again in the meantime are due again, because they may have
 * been stored again.
 */
export async function endRemovals(db: Db, removed: readonly TakenObject[]): Promise<void> {
  if (removed.length === 0) return
  await sql`
    update doomed_object ended set
      is_due = doomed.doom <> row.doom, since = clock_timestamp(), lease_until = null
    from ${leasedRows(removed)}
    where ended.kind = doomed.kind and ended.sha256 = doomed.sha256 and ended.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/** Postpones the removal of bytes by `seconds`. They stay marked for deletion, and may be named in the meantime. */
export async function postponeRemovals(
  db: Db,
  left: readonly TakenObject[],
  { seconds }: { seconds: number },
): Promise<void> {
  if (left.length === 0) return
  await sql`
    update doomed_object late set
      is_barred = false, lease_until = clock_timestamp() + ${seconds}::integer * interval '1 second'
    from ${leasedRows(left)}
    where late.kind = doomed.kind and late.sha256 = doomed.sha256 and late.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/**
 * Ends the lease on bytes whose removal has not begun. A process that needs them can store them at once. The removal is
 * retried later.
 */
export async function endLeases(db: Db, left: readonly TakenObject[]): Promise<void> {
  if (left.length === 0) return
  await sql`
    update doomed_object free set lease_until = clock_timestamp()
    from ${leasedRows(left)}
    where free.kind = doomed.kind and free.sha256 = doomed.sha256 and free.lease_until = doomed.lease_until`.execute(
    db,
  )
}

/** Deletes the rows of bytes that were removed so long ago that no process can still refer to them. */
export async function forgetRemoved(db: Db): Promise<void> {
  await sql`
    delete from doomed_object
    where not is_due and since < now() - ${barredHours}::integer * interval '1 hour'`.execute(db)
}

/** The rows of the taken bytes, while this process has their lease. */
function leasedRows(taken: readonly TakenObject[]) {
  const rows = taken.map(({ kind, sha256, doom, lease }) => ({ kind, sha256, doom, lease }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)
      as row (kind text, sha256 text, doom bigint, lease timestamptz)
    join doomed_object doomed on doomed.kind = row.kind and doomed.sha256 = decode(row.sha256, 'hex')
      and doomed.lease_until = row.lease`
}

/**
 * Whether a print job that is not being purged uses the bytes of a row of `table`. Print jobs that are being purged do
 * not count. Otherwise, of two that are purged at the same moment, each would leave the bytes to the other.
 */
export function isInUse(table: string) {
  const [kind, sha256] = [sql.ref(`${table}.kind`), sql.ref(`${table}.sha256`)]
  return sql<boolean>`case ${kind}
    when 'file' then exists (
      select from print_job_file file join print_job job on job.key = file.print_job_key
      where file.sha256 = ${sha256} and job.purge_began_at is null)
    else exists (
      select from print_job job where job.document_sha256 = ${sha256} and job.purge_began_at is null)
    end`
}
