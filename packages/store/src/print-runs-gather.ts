import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** Where documents are printed: a provider and one of its locations. */
export type PrintSite = { providerId: string; printLocation: string }

// The only paper that contracts know: white A4, as any factory has it.
const stationery = 'A4-PLAIN'

/**
 * Takes the site whose runs are built, for the length of the transaction. Undefined: there is no provider, or
 * another process is building its runs.
 */
export async function lockPrintSite(tx: Tx): Promise<PrintSite | undefined> {
  const { rows } = await sql<PrintSite>`
    select provider_id as "providerId", print_location as "printLocation" from print_site
    where (provider_id, print_location) = (
      select provider_id, print_location from print_site where enabled order by created_at, provider_id, print_location limit 1)
    for no key update skip locked`.execute(tx)
  return rows[0]
}

/**
 * Puts PENDING print jobs, oldest first and at most `jobsMax` of them, into the OPEN run of their stream, opening
 * it where there is none, and names their documents by the numbers that they were made with; one that was made before
 * numbers were drawn then gets its number here. A run takes `documentsMax`; jobs without room wait for the next
 * one. A job that somebody else holds is passed over. Returns how many were gathered.
 */
export async function gatherPrintJobs(
  tx: Tx,
  { providerId, printLocation }: PrintSite,
  { jobsMax, documentsMax }: { jobsMax: number; documentsMax: number },
): Promise<number> {
  const { rows } = await sql`
    with candidate as (
      select job.key, job.created_at, job.document_sha256, job.document_bytes, job.document_pages, job.document_sheets,
        job.document_number, coalesce(job.standard_params ->> 'despatchMethod', 'SECOND') as despatch_method, contract.plex, contract.colour
      from print_job job join contract on contract.id = job.contract_id
      where job.status = 'PENDING' and job.batch_number is null and job.deleted_at is null
      order by job.created_at
      limit ${jobsMax}
      for update of job skip locked
    ), collecting as (
      select run.batch_number, run.despatch_method, run.plex, run.colour,
        ${documentsMax}::integer - (
          select count(*) from print_run_document document
          where document.batch_number = run.batch_number and document.removed_at is null
        ) as room
      from print_run run
      where run.state = 'OPEN' and run.provider_id = ${providerId} and run.print_location = ${printLocation}
        and run.stationery = ${stationery}
    ), opened as (
      insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state)
      select 'R' || nextval('print_run_number'), ${providerId}, ${printLocation}, stream.despatch_method, ${stationery},
        stream.plex, stream.colour, 'OPEN'
      from (select distinct despatch_method, plex, colour from candidate) stream
      where not exists (
        select from collecting
        where (collecting.despatch_method, collecting.plex, collecting.colour) = (stream.despatch_method, stream.plex, stream.colour))
      returning batch_number, despatch_method, plex, colour
    ), run as (
      select batch_number, despatch_method, plex, colour, room from collecting
      union all select batch_number, despatch_method, plex, colour, ${documentsMax}::integer from opened
    ), placed as (
      select candidate.*, run.batch_number, run.room,
        row_number() over (partition by run.batch_number order by candidate.created_at, candidate.key) as place
      from candidate join run using (despatch_method, plex, colour)
    ), gathered as (
      insert into print_run_document (batch_number, document_id, print_job_key, sha256, bytes, pages, sheets)
      select batch_number, 'D' || coalesce(document_number, nextval('document_number')), key, document_sha256,
        document_bytes, document_pages, document_sheets
      from placed where place <= room
      returning batch_number, print_job_key
    )
    update print_job job set batch_number = gathered.batch_number
    from gathered where job.key = gathered.print_job_key
    returning job.key`.execute(tx)
  return rows.length
}
