import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { repeatLost } from '../lost-reply.ts'

/** Creates an upload that the consumer may fill and use in one print job until it expires. */
export async function insertUpload(
  db: Db,
  {
    id,
    consumerId,
    expiresInSeconds,
  }: { id: string; consumerId: string; expiresInSeconds: number },
): Promise<void> {
  const insert = db
    .insertInto('upload')
    .values({
      id,
      consumer_id: consumerId,
      expires_at: sql<Date>`now() + ${expiresInSeconds}::integer * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
  await repeatLost(() => insert.execute())
}

/**
 * Lists expired uploads, oldest first: unused ones, and those whose print job has pinned them. The caller deletes their
 * bytes before their rows, so that the object store never contains bytes without a row.
 */
export async function listExpiredUploads(db: Db, uploadsMax: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from upload
    where expires_at < now() - interval '1 hour' and not exists (
      select from print_job where key = upload.print_job_key and status = 'QUARANTINE')
    order by expires_at limit ${uploadsMax}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function deleteUploads(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('upload').where('id', 'in', ids).execute()
}

/** Returns the uploads among `ids` that this consumer may use in a print job: its own, unused and not expired. */
export async function listUsableUploads(
  db: Db,
  consumerId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from upload
    where id = any (${[...ids]}::uuid[]) and consumer_id = ${consumerId} and print_job_key is null
      and expires_at > now()`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
