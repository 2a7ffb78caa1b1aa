import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** A document that a print provider has printed, or has claimed and may have printed. */
export type PrintedDocument = {
  documentId: string
  batchNumber: string
  attempt: number
  /** Hash of the file, in hexadecimal. */
  sha256: string
}

/** What the database knows about the run in which a document was printed. */
export type KnownPrinting = {
  isRunKnown: boolean
  isRunClaimed: boolean
  /** The attempt of the document in that run; null if it is not in the run. `sha256` is the hash of its bytes. */
  attempt: number | null
  sha256: string | null
}

/** A print job that may be the letter of a printed document. */
export type PrintedLetter = {
  printJobKey: string
  printJobId: string
  consumer: string
  status: string
  heldBy: string | null
  isDeleted: boolean
  sha256: string | null
  /** Matched by the document's number, or only by its bytes. */
  matchedBy: 'number' | 'bytes'
}

/** Finds what is known about each document's print run, in the order of the documents. */
export async function listPrintings(
  db: Db,
  printed: readonly PrintedDocument[],
): Promise<KnownPrinting[]> {
  const { rows } = await sql<KnownPrinting>`
    select run.batch_number is not null as "isRunKnown", run.claimed_at is not null as "isRunClaimed",
      document.attempt, encode(document.sha256, 'hex') as sha256
    from ${rowsOf(printed)}
    left join print_run run on run.batch_number = printed."batchNumber"
    left join print_run_document document
      on document.batch_number = printed."batchNumber" and document.document_id = printed."documentId"
    order by printed.place`.execute(db)
  return rows
}

/**
 * Finds the print jobs that each document may belong to, in the order of the documents: first by its number, otherwise
 * by its bytes. A number is looked up among the documents of print runs and among live letters.
 */
export async function listPrintedLetters(
  db: Db,
  printed: readonly PrintedDocument[],
): Promise<PrintedLetter[][]> {
  const { rows } = await sql<PrintedLetter & { place: number }>`
    with printed as (select * from ${rowsOf(printed)}), matched as (
      select printed.place, job.key, 'number' as by from printed
      join print_job job on 'D' || job.document_number = printed."documentId"
      where job.status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and job.deleted_at is null
      union
      select printed.place, document.print_job_key, 'number' from printed
      join print_run_document document on document.document_id = printed."documentId"
      union
      select printed.place, job.key, 'bytes' from printed
      join print_job job on job.document_sha256 = decode(printed.sha256, 'hex')
      where job.status = 'PENDING' and job.deleted_at is null
    )
    select distinct on (matched.place, matched.key) matched.place, matched.by as "matchedBy", job.key as "printJobKey",
      job.id as "printJobId", consumer.user_name as consumer, job.status, job.held_by as "heldBy",
      job.deleted_at is not null as "isDeleted", encode(job.document_sha256, 'hex') as sha256
    from matched join print_job job on job.key = matched.key join consumer on consumer.id = job.consumer_id
    order by matched.place, matched.key, matched.by desc`.execute(db)
  return printed.map((_, place) => {
    const letters = rows.filter((row) => row.place === place)
    const numbered = letters.filter(({ matchedBy }) => matchedBy === 'number')
    return numbered.length > 0 ? numbered : letters
  })
}

function rowsOf(printed: readonly PrintedDocument[]) {
  const rows = printed.map((document, place) => ({ place, ...document }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as printed
    (place integer, "documentId" text, "batchNumber" text, attempt integer, sha256 text)`
}
