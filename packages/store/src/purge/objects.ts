import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { StoredObject } from './mark-for-deletion.ts'

/** The objects in the object store of print jobs that are being purged. */
export type PurgedObjects = { uploadIds: string[]; stored: StoredObject[] }

/** Lists the objects in the object store of print jobs, even if other print jobs use them too. */
export async function listObjects(db: Db, keys: readonly string[]): Promise<PurgedObjects> {
  const { rows } = await sql<PurgedObjects>`
    with job as (
      select key, document_sha256, 'D' || document_number as document_id from print_job where key = any (${keys}::uuid[])
    ), file as (
      select file.upload_id, file.sha256 from print_job_file file join job on job.key = file.print_job_key
    ), document as (
      select document_sha256 as sha256 from job
      union
      select document.sha256 from print_run_document document join job using (document_id)
    )
    select
      (select coalesce(array_agg(distinct upload_id::text) filter (where upload_id is not null), '{}') from file)
        as "uploadIds",
      (select coalesce(json_agg(json_build_object('kind', kind, 'sha256', encode(sha256, 'hex'))), '[]') from (
        select 'file' as kind, sha256 from file where sha256 is not null
        union
        select 'document', sha256 from document where sha256 is not null) named) as stored`.execute(
    db,
  )
  return rows[0]!
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

/** Returns the objects that no print job uses. */
export async function findUnused(
  db: Db,
  objects: readonly StoredObject[],
): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`
    select kind, encode(sha256, 'hex') as sha256 from (
      select kind, decode(sha256, 'hex') as sha256
      from json_to_recordset(${JSON.stringify(objects)}::json) as row (kind text, sha256 text)
    ) stored where not ${isInUse('stored')}`.execute(db)
  return rows
}

/** Finds when the database was created. Older objects in the object store are not its own. */
export async function findDatabaseBirth(db: Db): Promise<Date> {
  const { rows } = await sql<{
    bornAt: Date
  }>`select min(applied_at) as "bornAt" from migration`.execute(db)
  return rows[0]!.bornAt
}
