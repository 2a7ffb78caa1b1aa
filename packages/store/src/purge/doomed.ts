import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'

/** Bytes in the object store, named by their hash in hexadecimal. */
export type StoredObject = { kind: 'file' | 'document'; sha256: string }

/**
 * Why bytes may have lost their last user: their print job is purged, they were replaced by others, what was to name them was
 * not saved, or nobody is known to have named them.
 */
export const doomCauses = ['purged', 'replaced', 'unnamed', 'orphaned'] as const
export type DoomCause = (typeof doomCauses)[number]

/**
 * Notes that bytes may have lost their last user. They are removed soon unless somebody uses them; what uses them is looked up
 * then. May be part of a transaction, and may name bytes that are in use or not there.
 */
export async function doomObjects(
  db: Db,
  objects: readonly StoredObject[],
  cause: DoomCause,
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
