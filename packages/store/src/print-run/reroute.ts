import type { UnclaimedRun } from '@despatch/domain/print-run/rerouting'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

type Site = { providerId: string; printLocation: string }

/** Lists the runs of sites that nobody has claimed, but those that an operator moved. */
export async function listUnclaimedRuns(tx: Tx, sites: readonly Site[]): Promise<UnclaimedRun[]> {
  if (sites.length === 0) return []
  const { rows } = await sql<UnclaimedRun>`
    select run.batch_number as "batchNumber", run.provider_id as "providerId", run.print_location as "printLocation",
      run.despatch_method as "despatchMethod", run.stationery, run.plex, run.colour, run.format,
      run.opened_at as "openedAt", coalesce(run.released_at, run.release_asked_at, run.cut_off_at) as "dueAt",
      held.documents, held.sheets_max as "sheetsMax"
    from print_run run
    join unnest(${sites.map(({ providerId }) => providerId)}::text[],
      ${sites.map(({ printLocation }) => printLocation)}::text[]) as site (provider_id, print_location)
      using (provider_id, print_location)
    cross join lateral (
      select count(*) as documents, coalesce(max(sheets), 0) as sheets_max from print_run_document document
      where document.batch_number = run.batch_number and document.removed_at is null
    ) held
    where run.state in ('OPEN', 'RELEASED') and run.claimed_at is null and run.moved_from is null
    order by run.batch_number`.execute(tx)
  return rows
}

/**
 * Takes their documents out of unclaimed runs, so that they are gathered again, and closes the runs. A run that is just being
 * claimed is left to the claim. Locks in the order of all who change the documents of a run: run, print jobs, documents.
 * Returns the batch numbers of the runs that were dissolved.
 */
export async function dissolvePrintRuns(
  tx: Tx,
  batchNumbers: readonly string[],
): Promise<string[]> {
  if (batchNumbers.length === 0) return []
  const { rows } = await sql<{ batch_number: string }>`
    select batch_number from print_run
    where batch_number = any (${batchNumbers}::text[])
      and state in ('OPEN', 'RELEASED') and claimed_at is null and moved_from is null
    order by batch_number
    for update skip locked`.execute(tx)
  const dissolved = rows.map(({ batch_number }) => batch_number)
  if (dissolved.length === 0) return []

  // Waits for deletions: they hold a job and want its document next.
  await sql`
    select job.key from print_run_document document join print_job job on job.key = document.print_job_key
    where document.batch_number = any (${dissolved}::text[]) and document.removed_at is null
    for update of job`.execute(tx)
  await sql`
    with removed as (
      update print_run_document set removed_at = now()
      where batch_number = any (${dissolved}::text[]) and removed_at is null
      returning batch_number, print_job_key
    )
    update print_job job set batch_number = null
    from removed where job.key = removed.print_job_key and job.batch_number = removed.batch_number`.execute(
    tx,
  )
  await sql`
    update print_run set state = 'CLOSED', closed_at = now()
    where batch_number = any (${dissolved}::text[])`.execute(tx)
  return dissolved
}
