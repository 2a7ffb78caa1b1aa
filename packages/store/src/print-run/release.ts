import { letterSheetsMax } from '@despatch/domain/print-run/mail-format'
import { sheetsMaxOfBands } from '@despatch/domain/print-run/weight-band'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

const fulfilmentJobDocumentsMax = 2_500

/** The sheets with which a document is of the next format or weight band. */
const bandStarts = [letterSheetsMax, ...sheetsMaxOfBands()].map((sheetsMax) => sheetsMax + 1)

/**
 * Releases those of the runs that collect and have documents: they are sorted as a factory wants them (weight band,
 * postcode area, document number), numbered and split into fulfilment jobs of one weight band. Returns the batch numbers of
 * those that were released. The caller builds print runs.
 */
export async function releasePrintRuns(tx: Tx, batchNumbers: readonly string[]): Promise<string[]> {
  if (batchNumbers.length === 0) return []
  const { rows } = await sql<{ batch_number: string }>`
    update print_run run set state = 'RELEASED', released_at = clock_timestamp()
    where run.batch_number = any (${batchNumbers}::text[]) and run.state = 'OPEN'
      and exists (
        select from print_run_document document
        where document.batch_number = run.batch_number and document.removed_at is null)
    returning run.batch_number`.execute(tx)
  const released = rows.map(({ batch_number }) => batch_number).toSorted()
  if (released.length > 0) await numberDocuments(tx, released)
  return released
}

async function numberDocuments(tx: Tx, batchNumbers: readonly string[]): Promise<void> {
  await sql`
    with document as (
      select document.batch_number, document.document_id, substr(document.document_id, 2)::bigint as number,
        width_bucket(document.sheets, ${bandStarts}::integer[]) as band,
        upper(substring(job.printable_address ->> 'postcode' from '^[A-Za-z]+')) collate "C" as area
      from print_run_document document join print_job job on job.key = document.print_job_key
      where document.batch_number = any (${batchNumbers}::text[]) and document.removed_at is null
    ), sorted as (
      select batch_number, document_id, band,
        row_number() over (partition by batch_number order by band, area, number) as sequence,
        row_number() over (partition by batch_number, band order by area, number) as place
      from document
    ), split as (
      select batch_number, document_id, sequence, dense_rank() over (
          partition by batch_number order by band, (place - 1) / ${fulfilmentJobDocumentsMax}
        ) as fulfilment_job
      from sorted
    ), numbered as (
      update print_run_document document set
        sequence = split.sequence,
        fulfilment_job_id = document.batch_number || '-' || lpad(split.fulfilment_job::text, 3, '0')
      from split
      where document.batch_number = split.batch_number and document.document_id = split.document_id
        and document.removed_at is null
      returning document.batch_number, document.sheets, document.pages, document.bytes
    ), total as (
      select batch_number, count(*) as documents, sum(sheets) as sheets, sum(pages) as pages, sum(bytes) as bytes
      from numbered group by batch_number
    )
    update print_run run set document_count = total.documents, sheet_count = total.sheets, page_count = total.pages,
      byte_count = total.bytes
    from total where run.batch_number = total.batch_number`.execute(tx)
}

/**
 * Closes the runs that nobody has claimed and whose last document has been withdrawn, and says how many. One that an operator
 * moved is not among them. A run that somebody holds is passed over.
 */
export async function closeEmptyPrintRuns(tx: Tx): Promise<number> {
  const { rows } = await sql`
    with empty as (
      select run.batch_number from print_run run
      where run.state in ('OPEN', 'RELEASED') and run.print_epoch = 1
        and not exists (
          select from print_run_document document
          where document.batch_number = run.batch_number and document.removed_at is null)
      for update skip locked
    )
    update print_run run set state = 'CLOSED', closed_at = now()
    from empty where run.batch_number = empty.batch_number
    returning run.batch_number`.execute(tx)
  return rows.length
}
