import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { markObjectsForDeletion, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { sql } from 'kysely'
import type { Remover } from './remover.ts'

type PurgeObjectsContext = {
  db: Db
  objects: Pick<ObjectStore, 'removeTogether'>
  remover: Pick<Remover, 'remove'>
  closing?: AbortSignal | undefined
}

/** The limit of S3 for one request. */
const atOnceMax = 1_000

/** Removes the uploads, files and documents of print jobs, except bytes that another print job uses too. */
export async function purgeObjects(
  { db, objects, remover, closing }: PurgeObjectsContext,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const { uploadIds, stored } = await listObjects(db, keys)
  await markObjectsForDeletion(db, stored, 'purged')
  for (let from = 0; from < uploadIds.length; from += atOnceMax) {
    closing?.throwIfAborted()
    const together = uploadIds.slice(from, from + atOnceMax).map(uploadKey)
    const [refused] = await objects.removeTogether(together)
    if (refused) throw new Error(`The object store refused to delete an upload: ${refused.code}`)
  }
  await remover.remove(stored, closing)
}

/** The objects in the object store of print jobs that are being purged. */
type PurgedObjects = { uploadIds: string[]; stored: StoredObject[] }

/** Lists the objects in the object store of print jobs, even if other print jobs use them too. */
async function listObjects(db: Db, keys: readonly string[]): Promise<PurgedObjects> {
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
