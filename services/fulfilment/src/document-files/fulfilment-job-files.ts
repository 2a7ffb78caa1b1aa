import type { Db } from '@despatch/store/database'
import type { PrintRunRef } from '@despatch/store/print-run/lock'
import type { Plex } from '@despatch/store/schema-fulfilment'
import { sql } from 'kysely'

export type FulfilmentJobDocument = {
  documentId: string
  sha256: string
  bytes: number
  pages: number
}

export type FulfilmentJobFiles = {
  plex: Plex
  claimedAt: Date
  /** In order of sequence. */
  documents: FulfilmentJobDocument[]
}

/**
 * Finds the documents of a fulfilment job, as in its manifest. Returns undefined if the provider has claimed no run
 * with such a job, or the run was moved and is printed elsewhere. Also returns undefined if one of the documents has
 * been purged.
 */
export async function findFulfilmentJobFiles(
  db: Db,
  { providerId, batchNumber, fulfilmentJobId }: PrintRunRef & { fulfilmentJobId: string },
): Promise<FulfilmentJobFiles | undefined> {
  const { rows } = await sql<
    FulfilmentJobDocument & { plex: Plex; claimedAt: Date; isPurged: boolean }
  >`
    select run.plex, run.claimed_at as "claimedAt", document.document_id as "documentId",
      encode(document.sha256, 'hex') as sha256, document.bytes, document.pages,
      job.purge_began_at is not null as "isPurged"
    from print_run_document document join print_run run using (batch_number)
    join print_job job on job.key = document.print_job_key
    where document.batch_number = ${batchNumber} and document.fulfilment_job_id = ${fulfilmentJobId}
      and document.removed_at is null and document.sequence is not null
      and run.provider_id = ${providerId} and run.claimed_at is not null and run.state <> 'VOIDED'
    order by document.sequence`.execute(db)
  const [first] = rows
  if (!first || rows.some(({ isPurged }) => isPurged)) return undefined
  const { plex, claimedAt } = first
  return {
    plex,
    claimedAt,
    documents: rows.map(({ documentId, sha256, bytes, pages }) => ({
      documentId,
      sha256,
      bytes,
      pages,
    })),
  }
}
