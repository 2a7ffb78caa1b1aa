import { sql } from 'kysely'
import type { Tx } from './database.ts'
import type { PrintSite } from './print-runs-gather.ts'

/** A document of more sheets goes into a large envelope, which is another machine and another postal format. */
const letterSheetsMax = 5
const fulfilmentJobDocumentsMax = 2_500

/**
 * Releases the site's OPEN runs that are older than `runAgeMs` or hold `documentsMax` documents: their documents are
 * sorted (format, postcode), numbered and split into fulfilment jobs of one format. Returns their batch numbers.
 * The caller holds the site's lock.
 */
export async function releasePrintRuns(
  tx: Tx,
  { providerId, printLocation }: PrintSite,
  { runAgeMs, documentsMax }: { runAgeMs: number; documentsMax: number },
): Promise<string[]> {
  const { rows } = await sql<{ batch_number: string }>`
    update print_run run set state = 'RELEASED', released_at = clock_timestamp()
    from (
      select open.batch_number, open.opened_at, (
          select count(*) from print_run_document document
          where document.batch_number = open.batch_number and document.removed_at is null
        ) as documents
      from print_run open
      where open.state = 'OPEN' and open.provider_id = ${providerId} and open.print_location = ${printLocation}
    ) filled
    where run.batch_number = filled.batch_number and filled.documents > 0
      and (filled.documents >= ${documentsMax}
        or filled.opened_at <= clock_timestamp() - ${runAgeMs}::integer * interval '1 millisecond')
    returning run.batch_number`.execute(tx)
  const released = rows.map(({ batch_number }) => batch_number)
  if (released.length > 0) await numberDocuments(tx, released)
  return released
}

async function numberDocuments(tx: Tx, batchNumbers: readonly string[]): Promise<void> {
  await sql`
    with sorted as (
      select document.batch_number, document.document_id, document.sheets > ${letterSheetsMax} as is_large,
        row_number() over format as place,
        row_number() over whole as sequence
      from print_run_document document join print_job job on job.key = document.print_job_key
      where document.batch_number = any (${batchNumbers}::text[]) and document.removed_at is null
      window
        whole as (partition by document.batch_number
          order by document.sheets > ${letterSheetsMax}, job.printable_address ->> 'postcode', document.document_id),
        format as (partition by document.batch_number, document.sheets > ${letterSheetsMax}
          order by job.printable_address ->> 'postcode', document.document_id)
    ), split as (
      select batch_number, document_id, sequence, dense_rank() over (
          partition by batch_number order by is_large, (place - 1) / ${fulfilmentJobDocumentsMax}
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

/** Closes the site's runs that nobody has claimed and whose last document has been withdrawn. */
export async function closeEmptyPrintRuns(
  tx: Tx,
  { providerId, printLocation }: PrintSite,
): Promise<void> {
  await sql`
    update print_run run set state = 'CLOSED', closed_at = now()
    where run.state in ('OPEN', 'RELEASED') and run.provider_id = ${providerId}
      and run.print_location = ${printLocation}
      and not exists (
        select from print_run_document document
        where document.batch_number = run.batch_number and document.removed_at is null)`.execute(tx)
}
