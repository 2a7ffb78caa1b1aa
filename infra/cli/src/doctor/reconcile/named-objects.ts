import type { Db } from '@despatch/store/database'
import type { StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { sql } from 'kysely'

export type ObjectKind = StoredObject['kind']

/** A print job that needs bytes in the object store. */
type NeedingLetter = {
  /** Hash of the bytes, in hexadecimal. */
  sha256: string
  printJobKey: string
  printJobId: string
  consumer: string
  status: string
  isParked: boolean
}

/**
 * Lists the hashes of the bytes that print jobs name, without duplicates and in order. Returns at most `limit`, after
 * `after`.
 */
export async function listNamedObjects(
  db: Db,
  kind: ObjectKind,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select encode(named.sha256, 'hex') as sha256
    from (${namedBy(kind)}) named join print_job job on job.key = named.print_job_key
    where named.sha256 > decode(${after}, 'hex') and job.purge_began_at is null and job.deleted_at is null
    group by named.sha256
    order by named.sha256
    limit ${limit}`.execute(db)
  return rows.map(({ sha256 }) => sha256)
}

/**
 * Lists the print jobs that need the given bytes, in order of their keys. Returns at most `limit`, after the key
 * `after`.
 */
export async function listNeedingLetters(
  db: Db,
  { kind, sha256 }: StoredObject,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<NeedingLetter[]> {
  const { rows } = await sql<NeedingLetter>`
    select distinct job.key as "printJobKey", job.id as "printJobId", consumer.user_name as consumer, job.status,
      job.parked_at is not null as "isParked", ${sha256} as sha256
    from (${namedBy(kind)}) named
    join print_job job on job.key = named.print_job_key
    join consumer on consumer.id = job.consumer_id
    where named.sha256 = decode(${sha256}, 'hex') and job.purge_began_at is null and job.deleted_at is null
      and (${after ?? null}::uuid is null or job.key > ${after ?? null}::uuid)
    order by job.key
    limit ${limit}`.execute(db)
  return rows
}

/** An upload that has not been pinned as a file of its letter yet. */
type UnpinnedUpload = Omit<NeedingLetter, 'sha256'> & { uploadId: string }

/** Lists the uploads of letters in quarantine, in order of their ids. Returns at most `limit`, after the id `after`. */
export async function listUnpinnedUploads(
  db: Db,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UnpinnedUpload[]> {
  const { rows } = await sql<UnpinnedUpload>`
    select file.upload_id as "uploadId", job.key as "printJobKey", job.id as "printJobId",
      consumer.user_name as consumer, job.status, job.parked_at is not null as "isParked"
    from print_job job
    join print_job_file file on file.print_job_key = job.key
    join consumer on consumer.id = job.consumer_id
    where job.status = 'QUARANTINE' and job.deleted_at is null and file.upload_id is not null
      and file.pinned_at is null and (${after ?? null}::uuid is null or file.upload_id > ${after ?? null}::uuid)
    order by file.upload_id
    limit ${limit}`.execute(db)
  return rows
}

function namedBy(kind: ObjectKind) {
  return kind === 'file'
    ? sql`select print_job_key, sha256 from print_job_file where sha256 is not null`
    : sql`select key as print_job_key, document_sha256 as sha256 from print_job where document_sha256 is not null
        and document_sha256 not in (select sha256 from unstored_document)`
}
