import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Bytes in the object store, named by their hash in hexadecimal. */
export type StoredObject = { kind: 'file' | 'document'; sha256: string }

/**
 * Why bytes may be unused: their print job was purged, they were replaced, the rows that were to name them were not
 * saved, or no row is known to have named them.
 */
export const deletionCauses = ['purged', 'replaced', 'unnamed', 'orphaned'] as const
export type DeletionCause = (typeof deletionCauses)[number]

/**
 * Marks bytes for deletion. They are removed soon unless a print job uses them, which is checked at that time. May be
 * called within a transaction, and for bytes that are in use or do not exist.
 */
export async function markObjectsForDeletion(
  db: Db,
  objects: readonly StoredObject[],
  cause: DeletionCause,
): Promise<void> {
  if (objects.length === 0) return
  await transact(db, (tx) =>
    sql`
    insert into doomed_object (kind, sha256, cause)
    select kind, decode(sha256, 'hex'), ${cause} from (
      select distinct kind, sha256 from json_to_recordset(${JSON.stringify(objects)}::json) as row (kind text, sha256 text)
    ) named order by kind, sha256
    on conflict (kind, sha256) do update set
      cause = excluded.cause, since = excluded.since, doom = excluded.doom, is_due = true`.execute(
      tx,
    ),
  )
}
