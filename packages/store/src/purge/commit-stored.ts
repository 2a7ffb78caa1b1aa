import { setTimeout as pause } from 'node:timers/promises'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { StoredObject } from './mark-for-deletion.ts'

/** The SQLSTATE of the error when a row names bytes that are being removed, or were removed. */
const barredCode = 'DS001'
const pauseMs = 100
/**
 * Tries end after about 3 seconds, although a removal takes milliseconds. If its process died, it is retried only after
 * minutes, and by then the caller has retried too.
 */
const triesMax = 30

type Stored<Result> = {
  objects: readonly StoredObject[]
  /** Stores the bytes. May be called again, and then stores the same bytes. */
  store: () => Promise<void>
  /** Commits the rows that name them. */
  commit: () => Promise<Result>
}

/**
 * Stores bytes and then commits the rows that name them. Bytes that were removed in between are stored again first.
 * Throws if their removal does not end soon.
 */
export async function commitStored<Result>(
  db: Db,
  { objects, store, commit }: Stored<Result>,
): Promise<Result> {
  await store()
  for (let tries = 1; ; tries++) {
    try {
      return await commit()
    } catch (error) {
      if (!isBarred(error) || tries === triesMax) throw error
    }
    const barred = await findBarredObjects(db, objects)
    if (barred.some(({ isGoing }) => isGoing)) await pause(pauseMs)
    else {
      await store()
      await unbarObjects(db, barred)
    }
  }
}

function isBarred(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === barredCode
}

type BarredObject = StoredObject & {
  doom: number
  isDue: boolean
  lease: string | null
  isGoing: boolean
}

async function findBarredObjects(
  db: Db,
  objects: readonly StoredObject[],
): Promise<BarredObject[]> {
  const { rows } = await sql<BarredObject>`
    select doomed.kind, row.sha256, doomed.doom, doomed.is_due as "isDue", doomed.lease_until::text as lease,
      coalesce(doomed.lease_until > clock_timestamp(), false) as "isGoing"
    from json_to_recordset(${JSON.stringify(objects)}::json) as row (kind text, sha256 text)
    join doomed_object doomed on doomed.kind = row.kind and doomed.sha256 = decode(row.sha256, 'hex')
    where doomed.is_barred`.execute(db)
  return rows
}

/**
 * Lifts only bars that are unchanged since they were read: otherwise the bytes may have been removed again. Objects
 * that are due for deletion stay due, and are checked again.
 */
async function unbarObjects(db: Db, barred: readonly BarredObject[]): Promise<void> {
  await transact(db, (tx) =>
    sql`
    with seen as materialized (
      select doomed.kind, doomed.sha256, row.doom, row."isDue", row.lease
      from json_to_recordset(${JSON.stringify(barred)}::json)
        as row (kind text, sha256 text, doom bigint, "isDue" boolean, lease timestamptz)
      join doomed_object doomed on doomed.kind = row.kind and doomed.sha256 = decode(row.sha256, 'hex')
    ), lifted as (
      update doomed_object doomed set is_barred = false, lease_until = null from seen
      where ${isAsSeen} and seen."isDue"
    )
    delete from doomed_object doomed using seen where ${isAsSeen} and not seen."isDue"`.execute(tx),
  )
}

const isAsSeen = sql`doomed.kind = seen.kind and doomed.sha256 = seen.sha256 and doomed.doom = seen.doom
  and doomed.is_due = seen."isDue" and doomed.lease_until is not distinct from seen.lease`
