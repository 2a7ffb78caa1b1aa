import { londonDateOf } from '@despatch/domain/calendar/london'
import { type Gathering, type GatheringRun, runKey } from '@despatch/domain/print-run/gathering'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** A run that is gathering, with its stored dates. */
export type StoredGatheringRun = Omit<GatheringRun, 'batchNumber' | 'cutOffAt'> & {
  batchNumber: string
  cutOffAt: Date | null
  isReleaseRequested: boolean
}

/**
 * Locks the runs that are gathering until the transaction ends. Comes before any other lock, so that nobody releases or
 * moves a run while documents are placed in it. Skips runs that are locked; `listBusyRuns` returns those.
 */
export async function lockGatheringRuns(tx: Tx): Promise<StoredGatheringRun[]> {
  const { rows } = await sql<StoredGatheringRun>`
    select ${gatheringColumns}, ${documentsLive} as documents
    from print_run run
    where ${isGathering}
    order by run.batch_number
    for no key update of run skip locked`.execute(tx)
  return rows
}

/**
 * Lists the gathering runs that another transaction has locked, for example to move one. They take no documents now.
 */
export async function listBusyRuns(
  tx: Tx,
  locked: readonly StoredGatheringRun[],
): Promise<StoredGatheringRun[]> {
  const { rows } = await sql<StoredGatheringRun>`
    select ${gatheringColumns}, ${Number.MAX_SAFE_INTEGER}::bigint as documents
    from print_run run
    where ${isGathering} and run.batch_number <> all (${locked.map(({ batchNumber }) => batchNumber)}::text[])
    order by run.batch_number`.execute(tx)
  return rows
}

const isGathering = sql`run.state = 'OPEN' and run.print_epoch = 1 and run.release_began_at is null`

const gatheringColumns = sql`
  run.batch_number as "batchNumber", run.provider_id as "providerId", run.print_location as "printLocation",
  run.despatch_method as "despatchMethod", run.stationery, run.plex, run.colour, run.format,
  run.opened_at as "openedAt", run.cut_off_at as "cutOffAt", run.expected_despatch_on as "expectedDespatchOn",
  run.release_asked_at is not null as "isReleaseRequested"`

/**
 * SQL for the number of live documents of a run. Counts the withdrawn ones through their index, because the documents
 * are many and every pass needs this count.
 */
export const documentsLive = sql`(
  coalesce(run.gathered_count, (select count(*) from print_run_document document where document.batch_number = run.batch_number))
  - (select count(*) from print_run_document document
      where document.batch_number = run.batch_number and document.removed_at is not null))`

/** Writes the dates of gathering runs. */
export async function updateDates(
  tx: Tx,
  runs: readonly Pick<StoredGatheringRun, 'batchNumber' | 'cutOffAt' | 'expectedDespatchOn'>[],
): Promise<void> {
  if (runs.length === 0) return
  await sql`
    update print_run run set cut_off_at = row."cutOffAt", expected_despatch_on = row."expectedDespatchOn"
    from json_to_recordset(${JSON.stringify(runs)}::json) as row (
      "batchNumber" text, "cutOffAt" timestamptz, "expectedDespatchOn" date)
    where run.batch_number = row."batchNumber" and run.state = 'OPEN'`.execute(tx)
}

/**
 * Puts print jobs into their runs and opens planned runs. The document id comes from the document's number. A document
 * that was taken out of a run that is still gathering may return to it. It counts at its site on the London day of `at`.
 * The caller has locked the print jobs.
 */
export async function assignToRuns(
  tx: Tx,
  placed: Gathering['placed'],
  { at }: { at: Date },
): Promise<void> {
  if (placed.length === 0) return
  const batchNumbers = await openPlannedRuns(tx, placed)
  const rows = placed.flatMap(({ run, keys }) => {
    const batchNumber = run.batchNumber ?? batchNumbers.get(runKey(run, run))
    return keys.map((key) => ({ key, batchNumber }))
  })
  await sql`
    with placed as (
      select * from unnest(${rows.map(({ key }) => key)}::uuid[],
        ${rows.map(({ batchNumber }) => batchNumber)}::text[]) as row (key, batch_number)
    ), gathered as (
      update print_job job set batch_number = placed.batch_number
      from placed where job.key = placed.key
      returning job.key, job.batch_number, job.document_number, job.document_sha256, job.document_bytes,
        job.document_pages, job.document_sheets
    ), document as (
      insert into print_run_document (batch_number, document_id, print_job_key, sha256, bytes, pages, sheets, routed_on)
      select batch_number, 'D' || document_number, key, document_sha256, document_bytes, document_pages, document_sheets,
        ${londonDateOf(at)}::date
      from gathered
      on conflict (batch_number, document_id) do update set
        -- the document may have been made again in the meantime
        removed_at = null, sha256 = excluded.sha256, bytes = excluded.bytes, pages = excluded.pages,
        sheets = excluded.sheets, routed_on = excluded.routed_on
      -- an inserted row has no xmax; a document that returned to the run was counted before
      returning batch_number, sheets, xmax = 0 as is_inserted
    ), total as (
      select batch_number, count(*) filter (where is_inserted) as documents, max(sheets) as sheets_max
      from document group by batch_number
    )
    update print_run run set
      gathered_count = run.gathered_count + total.documents,
      sheets_max = greatest(run.sheets_max, total.sheets_max)
    from total where run.batch_number = total.batch_number and run.gathered_count is not null`.execute(
    tx,
  )
}

async function openPlannedRuns(
  tx: Tx,
  placed: Gathering['placed'],
): Promise<ReadonlyMap<string, string>> {
  const planned = placed.map(({ run }) => run).filter(({ batchNumber }) => !batchNumber)
  if (planned.length === 0) return new Map()
  const { rows } = await sql<GatheringRun & { batchNumber: string }>`
    insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, format,
      state, opened_at, cut_off_at, expected_despatch_on, gathered_count)
    select 'R' || nextval('print_run_number'), row."providerId", row."printLocation", row."despatchMethod", row.stationery,
      row.plex, row.colour, row.format, 'OPEN', row."openedAt", row."cutOffAt", row."expectedDespatchOn", 0
    from json_to_recordset(${JSON.stringify(planned)}::json) as row (
      "providerId" text, "printLocation" text, "despatchMethod" text, stationery text, plex text, colour boolean,
      format text, "openedAt" timestamptz, "cutOffAt" timestamptz, "expectedDespatchOn" date)
    returning batch_number as "batchNumber", provider_id as "providerId", print_location as "printLocation",
      despatch_method as "despatchMethod", stationery, plex, colour, format`.execute(tx)
  return new Map(rows.map((run) => [runKey(run, run), run.batchNumber]))
}

/** Defers the routing of print jobs by `seconds`. The caller has locked them. */
export async function deferRouting(
  tx: Tx,
  keys: readonly string[],
  { at, seconds }: { at: Date; seconds: number },
): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update print_job set route_after = ${at}::timestamptz + ${seconds}::integer * interval '1 second'
    where key = any (${keys}::uuid[])`.execute(tx)
}

/**
 * Closes the unclaimed runs whose last document has been withdrawn, and returns how many. Skips runs that an operator
 * moved and runs that are locked.
 */
export async function closeEmptyPrintRuns(tx: Tx): Promise<number> {
  const { rows } = await sql`
    with empty as (
      select run.batch_number from print_run run
      where run.state in ('OPEN', 'RELEASED') and run.print_epoch = 1
        -- the order makes it read the index of this run, not the documents of all runs
        and (select document_id from print_run_document document
          where document.batch_number = run.batch_number and document.removed_at is null
          order by document_id limit 1) is null
      for update skip locked
    )
    update print_run run set state = 'CLOSED', closed_at = now()
    from empty where run.batch_number = empty.batch_number
    returning run.batch_number`.execute(tx)
  return rows.length
}
