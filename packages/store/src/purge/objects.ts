import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What lies in the object store for print jobs that are being purged. Hashes are hexadecimal. */
export type PurgedObjects = { uploadIds: string[]; files: string[]; documents: string[] }

/** Lists what lies in the object store for print jobs, whoever else may use it. */
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
      (select coalesce(array_agg(distinct encode(sha256, 'hex')) filter (where sha256 is not null), '{}') from file)
        as files,
      (select coalesce(array_agg(distinct encode(sha256, 'hex')) filter (where sha256 is not null), '{}') from document)
        as documents`.execute(db)
  return rows[0]!
}

/**
 * Says whether a print job that is not being purged has a file of these bytes. Those that are being purged do not count, so
 * that of two that go at the same moment neither leaves the bytes to the other.
 */
export async function isFileInUse(db: Db, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select from print_job_file file join print_job job on job.key = file.print_job_key
    where file.sha256 = decode(${sha256}, 'hex') and job.purge_began_at is null limit 1`.execute(db)
  return rows.length > 0
}

/** Says the same of a document. */
export async function isDocumentInUse(db: Db, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select from print_job
    where document_sha256 = decode(${sha256}, 'hex') and purge_began_at is null limit 1`.execute(db)
  return rows.length > 0
}
