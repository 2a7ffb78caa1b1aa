import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '@despatch/store/database'
import { siteKey } from '@despatch/store/provider/routed-today'
import { sql } from 'kysely'
import { isReportable } from './purge.ts'

type RetireOptions = {
  /** Print jobs that were purged before this time are retired. */
  purgedBefore: Date
  /** Limit for the print jobs of one transaction. */
  jobsMax: number
}

/**
 * Deletes up to `jobsMax` purged print jobs, with all their rows, in one transaction. Their ids stay taken. Their events
 * and search terms stay in their partition until it is dropped. Print jobs that owe a callback, or of which something
 * may still be reported, stay. Returns how many it deleted. Safe to repeat and to run from several processes at once.
 */
export async function retirePrintJobs(
  db: Db,
  { purgedBefore, jobsMax }: RetireOptions,
): Promise<number> {
  return transact(db, async (tx) => {
    const keys = await lockRetirable(tx, purgedBefore, jobsMax)
    if (keys.length === 0) return 0
    await keepIds(tx, keys)
    await deleteDocuments(tx, keys)
    await deleteCallbacks(tx, keys)
    await sql`select delete_from_default_partitions(${keys}::uuid[])`.execute(tx)
    await sql`delete from print_job_file where print_job_key = any (${keys}::uuid[])`.execute(tx)
    await deletePrintJobs(tx, keys)
    return keys.length
  })
}

async function lockRetirable(tx: Tx, purgedBefore: Date, jobsMax: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job job
    where purged_at < ${purgedBefore}
      and not exists (
        select from callback where print_job_key = job.key and state in ('WAITING', 'DUE') offset 0)
      and not exists (
        select from print_run_document document join print_run run using (batch_number)
        where document.document_id = 'D' || job.document_number and document.print_job_key = job.key
          and document.removed_at is null and document.voided_at is null and ${isReportable}
        offset 0)
    order by purged_at, key limit ${jobsMax}
    for update of job skip locked`.execute(tx)
  return rows.map(({ key }) => key)
}

async function keepIds(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    insert into retired_print_job (first_hash, second_hash)
    select retired_id_hash(consumer_id, id, 1), retired_id_hash(consumer_id, id, 2)
    from print_job where key = any (${keys}::uuid[])
    on conflict do nothing`.execute(tx)
}

/** Deletes the documents, including those in runs that were moved, and what was reported of them. */
async function deleteDocuments(tx: Tx, keys: readonly string[]): Promise<void> {
  const { rows } = await sql<{ batchNumber: string; documentId: string }>`
    select document.batch_number as "batchNumber", document.document_id as "documentId"
    from print_job job join print_run_document document on document.document_id = 'D' || job.document_number
    where job.key = any (${keys}::uuid[]) and document.print_job_key = job.key`.execute(tx)
  await sql`delete from returned_letter where print_job_key = any (${keys}::uuid[])`.execute(tx)
  if (rows.length === 0) return
  const named = sql`json_to_recordset(${JSON.stringify(rows)}::json) as named ("batchNumber" text, "documentId" text)`
  for (const table of ['print_run_event', 'reprint']) {
    await sql`
      delete from ${sql.table(table)} report using ${named}
      where report.batch_number = named."batchNumber" and report.document_id = named."documentId"`.execute(
      tx,
    )
  }
  await sql`
    with deleted as (
      delete from print_run_document document using ${named}
      where document.batch_number = named."batchNumber" and document.document_id = named."documentId"
      returning document.batch_number,
        document_account(outcome, posting_id, sequence, removed_at, voided_at) as account,
        day_of_routing(routed_on, outcome, removed_at, voided_at) as day
    )
    insert into count_change (what, subject, state, count)
    select 'document', batch_number, account, -count(*) from deleted
    where account is not null group by batch_number, account
    union all
    select 'routed', ${siteKey('run')}, day, -count(*) from deleted join print_run run using (batch_number)
    where day is not null group by ${siteKey('run')}, day`.execute(tx)
}

async function deleteCallbacks(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    with deleted as (
      delete from callback where print_job_key = any (${keys}::uuid[]) returning id
    )
    delete from callback_attempt where callback_id in (select id from deleted)`.execute(tx)
}

async function deletePrintJobs(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    with deleted as (
      delete from print_job where key = any (${keys}::uuid[]) returning contract_id, status, deleted_at
    )
    insert into count_change (what, subject, state, count)
    select 'print_job', contract_id, status, -count(*) from deleted
    where deleted_at is null group by contract_id, status`.execute(tx)
}
