import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aStorm } from './storm.ts'

const fulfilment = await shared(aFulfilment())
await fulfilment.database.pool.query('update print_site set share = 100')

const tables = [
  'print_run',
  'print_job',
  'print_run_document',
  'posting',
  'recall_request',
  'reprint',
  'serial_number',
]
await dawdle()

/** Makes statements wait before and after a change, so that many more of them overlap. */
async function dawdle(): Promise<void> {
  const { pool } = fulfilment.database
  await pool.query(`
    create function dawdle() returns trigger language plpgsql as $$
    begin
      if random() < 0.5 then perform pg_sleep(random() * 0.02); end if;
      return null;
    end $$`)
  for (const table of tables) {
    for (const moment of ['before', 'after']) {
      await pool.query(`
        create trigger dawdle_${moment} ${moment} insert or update on ${table}
        for each statement execute function dawdle()`)
    }
  }
}

const live = 'document.removed_at is null and document.voided_at is null'
const documentOfJob = 'print_run_document document on document.print_job_key = job.key'
const account = `cross join lateral (
    select count(*) as documents, count(*) filter (where outcome is null) as missing,
      count(*) filter (where outcome is null and posting_id is not null) as posted
    from print_run_document document
    where document.batch_number = run.batch_number and removed_at is null and sequence is not null) account`

/** Queries that must return no rows in any interleaving. */
const forbidden: Record<string, string> = {
  'a letter is live in two runs': `select print_job_key from print_run_document document where ${live}
    group by print_job_key having count(*) > 1`,
  'a print job is DESPATCHED without a confirmed posting': `select job.key from print_job job
    where job.status = 'DESPATCHED' and not exists (
      select from print_run_document document join posting on posting.id = document.posting_id
      where document.print_job_key = job.key and ${live} and document.outcome = 'DESPATCHED'
        and posting.confirmed_at is not null)`,
  'a document is DESPATCHED and its print job is not': `select job.key from print_job job join ${documentOfJob}
    where document.outcome = 'DESPATCHED' and job.status <> 'DESPATCHED'`,
  'a document has ended otherwise and its print job is not REJECTED': `select job.key from print_job job
    join ${documentOfJob} where document.outcome in ('REFUSED', 'FAILED', 'RECALLED') and job.status <> 'REJECTED'`,
  'a document of a REJECTED print job may still be printed': `select job.key from print_job job
    join ${documentOfJob} where job.status = 'REJECTED' and ${live} and document.outcome is null`,
  'a deleted print job is in a run': `select job.key from print_job job join ${documentOfJob}
    where job.deleted_at is not null and ${live}`,
  'a print job in PRODUCTION is in no run that prints it': `select job.key from print_job job
    where job.status = 'PRODUCTION' and not exists (
      select from print_run_document document join print_run run using (batch_number)
      where document.print_job_key = job.key and ${live} and document.outcome is null
        and (run.claimed_at is not null or run.print_epoch > 1)
        and run.state not in ('OPEN', 'RECONCILED', 'CLOSED', 'VOIDED'))`,
  'a PENDING print job names another run than it is in': `select job.key from print_job job
    where job.status = 'PENDING' and job.deleted_at is null and job.batch_number is not null and not exists (
      select from print_run_document document join print_run run using (batch_number)
      where document.print_job_key = job.key and ${live} and document.batch_number = job.batch_number
        and run.state in ('OPEN', 'RELEASED'))`,
  'a posting has miscounted': `select posting.id from posting cross join lateral (
      select count(*) as documents, coalesce(sum(sheets), 0) as sheets
      from print_run_document where posting_id = posting.id) covered
    where (document_count, sheet_count) is distinct from (covered.documents, covered.sheets)
      or confirmed_count <> document_count`,
  'a frozen run has another number of documents than its manifest': `select run.batch_number from print_run run ${account}
    where run.claimed_at is not null and run.document_count <> account.documents`,
  'a run is in another state than its documents': `select run.batch_number, run.state from print_run run ${account}
    where run.state = 'RECONCILED' and missing > 0
      or run.state = 'POSTED' and (missing = 0 or missing <> posted)
      or run.state = 'IN_PRODUCTION' and missing = posted
      or run.state = 'CLOSED' and run.claimed_at is not null and missing > 0`,
  'a reprint waits of a document that has ended': `select reprint.id from reprint
    join print_run_document document using (batch_number, document_id)
    where reprint.state = 'WAITING' and document.outcome is not null`,
  'numbered stock counts as used that was lost': `select number.serial_number from serial_number number
    join print_run_document document using (batch_number, document_id)
    where number.state = 'USED' and (number.attempt < document.attempt or document.outcome in ('FAILED', 'RECALLED')
      or document.progress = 'SPOILED')`,
  'a timeline has a gap, or another end than its print job': `select job.key from print_job job cross join lateral (
      select count(*) as events, (array_agg(status order by sequence desc))[1] as status
      from print_job_event event where event.print_job_key = job.key) told
    where job.event_sequence <> told.events or job.status <> told.status`,
}

test('under concurrent random calls no letter is lost or printed twice, and no caller gets an error', async () => {
  const storm = aStorm(fulfilment)

  // a busy machine may need longer than that for a first posting
  do await storm.rage(8, 10_000)
  while ((await countDespatched()) === 0)

  const found: Record<string, unknown> = {}
  for (const [name, query] of Object.entries(forbidden)) {
    const { rows } = await fulfilment.database.pool.query(query)
    if (rows.length > 0) found[name] = rows.slice(0, 3)
  }
  expect(found).toEqual({})
  expect(storm.faults).toEqual([])
})

async function countDespatched(): Promise<number> {
  const { rows } = await fulfilment.database.pool.query(
    'select count(*)::integer as letters from print_job where despatched_at is not null',
  )
  return rows[0].letters
}
