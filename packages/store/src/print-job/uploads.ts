import { repeatLost } from '@despatch/postgres/lost-reply'
import { prepared } from '@despatch/postgres/prepared'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

type NewUpload = {
  id: string
  consumerId: string
  expiresInSeconds: number
  /** How many uploads of the consumer may be open: in no print job and not expired. */
  openMax: number
}

/**
 * Creates an upload that the consumer may fill and use in one print job until it expires. Returns 'created', or the
 * seconds until the first open upload expires if the consumer has `openMax` of them. Concurrent calls do not see each
 * other, so they may exceed the limit by their number.
 */
export async function insertUpload(
  db: Db,
  { id, consumerId, expiresInSeconds, openMax }: NewUpload,
): Promise<'created' | { retryAfterSeconds: number }> {
  const insert = sql<{ isCreated: boolean; retryAfterSeconds: number }>`${prepared('insert-upload')}
    with open as (
      select expires_at from upload
      where consumer_id = ${consumerId} and print_job_key is null and expires_at > now() and id <> ${id}
      order by expires_at limit ${openMax}
    ), created as (
      insert into upload (id, consumer_id, expires_at)
      select ${id}::uuid, ${consumerId}::uuid, now() + ${expiresInSeconds}::integer * interval '1 second'
      where (select count(*) from open) < ${openMax}
      on conflict (id) do nothing
    )
    select count(*) < ${openMax} as "isCreated",
      greatest(1, ceil(extract(epoch from min(expires_at) - now())))::integer as "retryAfterSeconds" from open`
  const { rows } = await repeatLost(() => insert.execute(db))
  const { isCreated, retryAfterSeconds } = rows[0]!
  return isCreated ? 'created' : { retryAfterSeconds }
}

/**
 * Records uploads whose bytes are larger than the limit and are about to be deleted. Returns their ids. With
 * `consumerId`, only uploads of this consumer are recorded; without it, only uploads that quarantine does not need.
 */
export async function markOversized(
  db: Db,
  uploads: readonly { id: string; bytes: number }[],
  { consumerId }: { consumerId?: string } = {},
): Promise<Set<string>> {
  if (uploads.length === 0) return new Set()
  const owned = consumerId
    ? sql`consumer_id = ${consumerId}`
    : // a print job that takes the upload meanwhile is not seen here, so it must be seen to have left quarantine
      sql`(print_job_key is null
        or exists (select from print_job where key = upload.print_job_key and status <> 'QUARANTINE'))`
  const mark = sql<{ id: string }>`
    update upload set oversized_bytes = found.bytes
    from json_to_recordset(${JSON.stringify(uploads)}::json) as found (id uuid, bytes bigint)
    where upload.id = found.id and ${owned}
    returning upload.id`
  const { rows } = await repeatLost(() => mark.execute(db))
  return new Set(rows.map(({ id }) => id))
}

/** Returns how large an upload of this consumer was, if it was deleted because it was too large. */
export async function findOversizedBytes(
  db: Db,
  { id, consumerId }: { id: string; consumerId: string },
): Promise<number | undefined> {
  const found = await db
    .selectFrom('upload')
    .select('oversized_bytes')
    .where('id', '=', id)
    .where('consumer_id', '=', consumerId)
    .executeTakeFirst()
  return found?.oversized_bytes ?? undefined
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

/** Returns which of these ids no upload has. */
export async function listUnknownUploads(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...ids]}::uuid[]) as given (id)
    where not exists (select from upload where upload.id = given.id)`.execute(db)
  return rows.map(({ id }) => id)
}

export async function deleteUploads(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('upload').where('id', 'in', ids).execute()
}

/** Why a print job cannot use an upload. Unknown: it was never issued to this consumer, or is forgotten. */
type UnusableUpload = 'unknown' | 'used' | 'expired' | 'oversized' | 'empty'

/** Returns why an upload cannot be used, as its owner may know it. */
export async function explainUnusableUpload(
  db: Db,
  { id, consumerId }: { id: string; consumerId: string },
): Promise<UnusableUpload> {
  const { rows } = await sql<{ isUsed: boolean; isExpired: boolean; isOversized: boolean }>`
    select print_job_key is not null as "isUsed", expires_at <= now() as "isExpired",
      oversized_bytes is not null as "isOversized" from upload
    where id = ${id}::uuid and consumer_id = ${consumerId}`.execute(db)
  const [upload] = rows
  if (!upload) return 'unknown'
  if (upload.isUsed) return 'used'
  if (upload.isExpired) return 'expired'
  return upload.isOversized ? 'oversized' : 'empty'
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
      and oversized_bytes is null and expires_at > now()`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
