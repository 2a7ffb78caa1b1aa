import { isStranding, planRerouting, type UnclaimedRun } from '@despatch/domain/print-run/rerouting'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { listRoutableSites, lockRerouting } from '../provider/routing.ts'
import { documentsLive } from './assign-to-runs.ts'
import { closeEmptyRun } from './freeze.ts'
import { pageLiveDocuments } from './live-documents.ts'
import { lockPrintJobs } from './lock.ts'

type Site = { providerId: string; printLocation: string }

/**
 * Makes one rerouting pass. It takes the unclaimed documents of one run away from a site that cannot print them, if
 * others can, so that they are gathered again. It handles one run per transaction, so that its length does not grow
 * with the number of runs. `isMore`: there may be another run. Passes exclude each other across processes.
 */
export async function reroutePrintRuns(tx: Tx): Promise<{ rerouted: string[]; isMore: boolean }> {
  const at = await lockRerouting(tx)
  if (!at) return { rerouted: [], isMore: false }
  const sites = await listRoutableSites(tx, at)
  const stranding = sites.filter((site) => isStranding(site, at))
  const runs = planRerouting(sites, await listUnclaimedRuns(tx, stranding), at)
  for (const { batchNumber } of runs) {
    if (await dissolvePrintRun(tx, batchNumber)) {
      return { rerouted: [batchNumber], isMore: runs.length > 1 }
    }
  }
  return { rerouted: [], isMore: false }
}

/** Lists the unclaimed runs of the sites, without those that an operator moved. */
async function listUnclaimedRuns(tx: Tx, sites: readonly Site[]): Promise<UnclaimedRun[]> {
  if (sites.length === 0) return []
  const { rows } = await sql<UnclaimedRun>`
    select run.batch_number as "batchNumber", run.provider_id as "providerId", run.print_location as "printLocation",
      run.despatch_method as "despatchMethod", run.stationery, run.plex, run.colour, run.format,
      run.opened_at as "openedAt", coalesce(run.released_at, run.release_asked_at, run.cut_off_at) as "dueAt",
      ${documentsLive} as documents,
      coalesce(run.sheets_max, (select max(sheets) from print_run_document document
        where document.batch_number = run.batch_number and document.removed_at is null), 0) as "sheetsMax"
    from print_run run
    join unnest(${sites.map(({ providerId }) => providerId)}::text[],
      ${sites.map(({ printLocation }) => printLocation)}::text[]) as site (provider_id, print_location)
      using (provider_id, print_location)
    where run.state in ('OPEN', 'RELEASED') and run.claimed_at is null and run.moved_from is null
    order by run.batch_number`.execute(tx)
  return rows
}

/**
 * Takes all documents out of an unclaimed run, so that they are gathered again, and closes the run. Returns false, and
 * changes nothing, if the run is being claimed or is locked. Locks in the common order: run, print jobs, documents.
 */
async function dissolvePrintRun(tx: Tx, batchNumber: string): Promise<boolean> {
  const { rows } = await sql`
    select from print_run
    where batch_number = ${batchNumber}
      and state in ('OPEN', 'RELEASED') and claimed_at is null and moved_from is null
    for update skip locked`.execute(tx)
  if (rows.length === 0) return false
  await lockPrintJobs(tx, batchNumber)
  for await (const page of pageLiveDocuments(tx, batchNumber)) {
    await sql`
      with removed as (
        update print_run_document set removed_at = now()
        where batch_number = ${batchNumber} and document_id = any (${page.map(({ documentId }) => documentId)}::text[])
      )
      update print_job set batch_number = null
      where key = any (${page.map(({ printJobKey }) => printJobKey)}::uuid[]) and batch_number = ${batchNumber}`.execute(
      tx,
    )
  }
  await closeEmptyRun(tx, { batchNumber })
  return true
}
