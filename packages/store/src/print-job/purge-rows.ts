import type { Finding } from '@despatch/domain/preflight/finding'
import type { StandardParams } from '@despatch/domain/print-job/params'
import {
  remainingComment,
  remainingDespatchProperties,
  remainingFindings,
  remainingStandardParams,
} from '@despatch/domain/purge/remains'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { purgedBody } from '../purge/purged-body.ts'
import { notePrintJobs } from './notes.ts'

/**
 * Removes personal data from the rows of print jobs whose objects have been removed, in one transaction. Returns the
 * keys of the print jobs that it purged. Skips print jobs that have been purged already or owe a callback again. Ids,
 * times, statuses, rules and counts stay.
 */
export async function purgeRows(
  db: Db,
  keys: readonly string[],
  { now }: { now: Date },
): Promise<string[]> {
  if (keys.length === 0) return []
  return transact(db, async (tx) => {
    const jobs = await lockJobs(tx, keys)
    if (jobs.length === 0) return []
    const purged = jobs.map(({ key }) => key)
    await purgeTimelines(tx, purged)
    await purgeReports(tx, purged)
    await purgeCallbacks(tx, purged)
    await tx.deleteFrom('print_job_file').where('print_job_key', 'in', purged).execute()
    await purgeJobs(tx, jobs, now)
    const notes = purged.map((key) => ({ key, note: 'purge' as const }))
    await notePrintJobs(tx, notes, { actor: 'pipeline' })
    return purged
  })
}

type LockedJob = {
  key: string
  standardParams: StandardParams
  isRejected: boolean
  findings: Finding[]
}

/**
 * Locks the print jobs before their callbacks, as all code does. A concurrent replay of a callback waits, and then
 * finds the callback purged.
 */
async function lockJobs(tx: Tx, keys: readonly string[]): Promise<LockedJob[]> {
  const { rows: held } = await sql<{ key: string }>`
    select key from print_job
    where key = any (${keys}::uuid[]) and purge_began_at is not null and purged_at is null
    order by key for update`.execute(tx)
  const { rows: callbacks } = await sql<{ key: string; isEnded: boolean }>`
    select print_job_key as key, state not in ('WAITING', 'DUE') as "isEnded" from callback
    where print_job_key = any (${held.map(({ key }) => key)}::uuid[])
    order by id for no key update`.execute(tx)
  const owing = new Set(callbacks.filter(({ isEnded }) => !isEnded).map(({ key }) => key))
  const free = held.flatMap(({ key }) => (owing.has(key) ? [] : [key]))
  const { rows } = await sql<LockedJob>`
    select key, standard_params as "standardParams", status = 'REJECTED' as "isRejected", coalesce((
        select findings from print_job_event
        where print_job_key = key and transition = 'reject' and findings is not null), '[]') as findings
    from print_job where key = any (${free}::uuid[])`.execute(tx)
  return rows
}

async function purgeJobs(tx: Tx, jobs: readonly LockedJob[], now: Date): Promise<void> {
  const remains = jobs.map(({ key, standardParams, isRejected, findings }) => ({
    key,
    standard_params: remainingStandardParams(standardParams),
    comment: isRejected ? remainingComment(findings) : null,
  }))
  await sql`
    update print_job job set
      standard_params = row.standard_params,
      comment = row.comment,
      custom_params = null,
      callback_params = null,
      callback_destination_sealed = null,
      callback_origin = null,
      -- a hash of the whole request, with which a guess could be verified
      request_fingerprint = '',
      printable_address = null,
      -- their names, which the caller chose
      unknown_members = null,
      address_override = null,
      held_at = null,
      held_by = null,
      hold_reason = null,
      despatch_properties = ${remainingProperties(sql`job.despatch_properties`)},
      purged_at = ${now}
    from json_to_recordset(${JSON.stringify(remains)}::json) as row (key uuid, standard_params jsonb, comment text)
    where job.key = row.key`.execute(tx)
}

/** Removes reasons, which people wrote. The text of our own rules is written again from the findings. */
async function purgeTimelines(tx: Tx, keys: readonly string[]): Promise<void> {
  const { rows } = await sql<{ key: string; sequence: number; findings: Finding[] }>`
    select print_job_key as key, sequence, findings from print_job_event
    where print_job_key = any (${keys}::uuid[]) and findings is not null`.execute(tx)
  const remains = rows.map(({ findings, ...event }) => ({
    ...event,
    findings: remainingFindings(findings),
    reason: remainingComment(findings),
  }))
  await sql`
    update print_job_event set reason = null
    where print_job_key = any (${keys}::uuid[]) and reason is not null and transition <> 'park'`.execute(
    tx,
  )
  if (remains.length === 0) return
  await sql`
    update print_job_event event set findings = row.findings, reason = row.reason
    from json_to_recordset(${JSON.stringify(remains)}::json) as row (key uuid, sequence integer, findings jsonb, reason text)
    where event.print_job_key = row.key and event.sequence = row.sequence`.execute(tx)
}

/** Removes what the provider and operators wrote about the documents, including in runs that were moved. */
async function purgeReports(tx: Tx, keys: readonly string[]): Promise<void> {
  const { rows } = await sql<{ batchNumber: string; documentId: string }>`
    select document.batch_number as "batchNumber", document.document_id as "documentId"
    from print_job job join print_run_document document on document.document_id = 'D' || job.document_number
    where job.key = any (${keys}::uuid[])`.execute(tx)
  if (rows.length === 0) return
  const named = sql`json_to_recordset(${JSON.stringify(rows)}::json) as named ("batchNumber" text, "documentId" text)`
  const isNamed = (table: string) => sql`
    ${sql.ref(`${table}.batch_number`)} = named."batchNumber" and ${sql.ref(`${table}.document_id`)} = named."documentId"`
  await sql`
    update print_run_document set despatch_properties = ${remainingProperties(sql`print_run_document.despatch_properties`)}
    from ${named} where ${isNamed('print_run_document')} and despatch_properties is not null`.execute(
    tx,
  )
  await sql`
    update print_run_event set reason = null,
      despatch_properties = ${remainingProperties(sql`print_run_event.despatch_properties`)}
    from ${named} where ${isNamed('print_run_event')} and (reason is not null or despatch_properties is not null)`.execute(
    tx,
  )
  await sql`
    update reprint set reason = null, decision_reason = null
    from ${named} where ${isNamed('reprint')}`.execute(tx)
}

/** Removes the contents of callbacks. The attempts, their times and outcomes stay. */
async function purgeCallbacks(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    update callback_attempt attempt set address = null, answer = null
    from callback
    where callback.print_job_key = any (${keys}::uuid[]) and attempt.callback_id = callback.id
      and (attempt.address is not null or attempt.answer is not null)`.execute(tx)
  await sql`
    update callback set body = ${purgedBody}, destination_sealed = null
    where print_job_key = any (${keys}::uuid[])`.execute(tx)
}

/** SQL for the despatch properties with well-known keys; null if none remain. */
function remainingProperties(properties: ReturnType<typeof sql>) {
  return sql`(
    select jsonb_agg(property order by place)
    from jsonb_array_elements(${properties}) with ordinality as given (property, place)
    where property ->> 'key' = any (${remainingDespatchProperties}::text[]))`
}
