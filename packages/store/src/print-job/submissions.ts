import type { Finding } from '@despatch/domain/preflight/finding'
import type { CustomParam, RetryParams, StandardParams } from '@despatch/domain/print-job/params'
import type { SubmissionHolder } from '@despatch/domain/print-job/send-control'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import { repeatLost } from '@despatch/postgres/lost-reply'
import type pg from 'pg'

/** What identifies a submission when it is repeated. */
export type SubmissionIdentity = {
  key: string
  consumerId: string
  id: string
  idempotencyKey: string | null
  /** The same for the same content. Hexadecimal. */
  requestFingerprint: string
}

/** A checked print job, ready to be saved in QUARANTINE. Hashes and sealed values are hexadecimal. */
export type Submission = SubmissionIdentity & {
  apiKeyHash: string
  contractId: string
  standardParams: StandardParams
  /** The despatch method by which it is produced, as far as its address is not corrected. */
  producedAs: PrintRunDespatchMethod
  customParams: readonly CustomParam[] | null
  /** Null: no callback is requested. */
  callbackParams: { retryParams?: RetryParams } | null
  callbackDestinationSealed: string | null
  /** Scheme, host and port of the callback target. */
  callbackOrigin: string | null
  callbackStatuses: readonly PrintJobStatus[]
  correlationId: string
  /** The earliest time at which it may be gathered into a print run. Null: at once. */
  notBefore: Date | null
  /** Who holds it from the start. Null: nobody. */
  heldBy: SubmissionHolder | null
  /** W3C traceparent of the request. Null: it is not traced. */
  traceContext: string | null
  /** What operators find it by: signed 64-bit integers in decimal. Null: the terms are written later. */
  searchTerms: { lasting: string; personal: readonly string[] } | null
  /** Paths of the members of its request that are not known, as they are stored. Null: none. */
  unknownMembers: readonly string[] | null
  /** The version of the template that it is made from, and its languages: those of its contract. Null: no template. */
  template: string | null
  templateLanguages: readonly string[] | null
  /** What else was found in its request, as notes. Null: nothing. */
  findings: readonly Finding[] | null
  files: readonly SubmittedFile[]
}

export type SubmittedFile =
  | { fileId: string; source: 'upload'; uploadId: string }
  | {
      fileId: string
      source: 'custom-param'
      sha256: string
      bytes: number
      mediaType: string
    }

export type SubmissionOutcome =
  | { kind: 'saved'; id: string }
  /** The Idempotency-Key was used before, with the same content. */
  | { kind: 'repeated'; id: string }
  /** Null: the other print job is retired, and its content is not known any more. `deletedAt`: it was deleted. */
  | { kind: 'id-taken'; sameContent: boolean | null; deletedAt?: Date }
  | { kind: 'idempotency-key-reused' }
  | { kind: 'upload-not-found'; uploadId: string }
  | { kind: 'not-authenticated' }

/**
 * Saves print jobs with their files, first timeline event, place in the waiting work and search terms, in one statement
 * for all of them. The statement also checks the API key against the consumer's current one. Submissions with uploads
 * are saved one at a time, because a missing upload must not affect another print job. If the reply is lost, the
 * statement is sent again: it waits for the lost one, and an existing print job with the same key is the submission's
 * own.
 */
export async function saveSubmissions(
  pool: pg.Pool,
  submissions: readonly Submission[],
): Promise<SubmissionOutcome[]> {
  const files = submissions.flatMap((submission) => submission.files)
  const statement = files.some(({ source }) => source === 'upload')
    ? saveWithUploads
    : files.length > 0
      ? saveWithFiles
      : savePlain
  if (statement === saveWithUploads && submissions.length > 1) {
    throw new Error('Submissions with uploads are saved one at a time')
  }
  // Sorted by id, so that two statements that insert the same ids cannot deadlock.
  const inOrder = [...submissions].sort((a, b) => (a.id < b.id ? -1 : 1))
  const values = [JSON.stringify(inOrder.map(toRow))]
  const { rows } = await repeatLost(() =>
    pool.query<{ key: string }>({ ...statement, values }),
  ).catch((error) => {
    if (inOrder.length === 1 && isOfRetiredId(error)) return { rows: [] }
    throw error
  })
  const saved = new Set(rows.map(({ key }) => key))
  return Promise.all(
    submissions.map((submission) =>
      saved.has(submission.key)
        ? { kind: 'saved' as const, id: submission.id }
        : explainRefusal(pool, submission),
    ),
  )
}

/** Whether the print job with the id was retired while the statement ran. */
function isOfRetiredId(error: unknown): boolean {
  return (error as { code?: string }).code === 'DS003'
}

type Parts = { inputs?: string; condition?: string; writes?: string }

const insertSubmissions = ({ inputs = '', condition = '', writes = '' }: Parts) => `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as row (
      key uuid, consumer_id uuid, api_key_hash text, id text, contract_id uuid, standard_params jsonb,
      custom_params jsonb, callback_params jsonb, callback_destination_sealed text, callback_origin text,
      callback_statuses text[], correlation_id text, idempotency_key text, request_fingerprint text,
      not_before timestamptz, held_by text, trace_context text, search_terms bigint[], lasting_term bigint,
      unknown_members text[], findings jsonb, files jsonb, produced_as text, template text, template_languages text[])
  ), free as materialized (
    select * from input where not exists (
      select from retired_print_job
      where first_hash = retired_id_hash(input.consumer_id, input.id, 1)
        and second_hash = retired_id_hash(input.consumer_id, input.id, 2) offset 0)
  ) ${inputs}, job as (
    insert into print_job (key, consumer_id, id, status, contract_id, standard_params, custom_params, callback_params,
      callback_destination_sealed, callback_origin, callback_statuses, correlation_id, idempotency_key,
      request_fingerprint, not_before, route_after, held_at, held_by, trace_context, search_terms,
      unknown_members, produced_as, template, template_languages)
    select key, consumer_id, id, 'QUARANTINE', contract_id, standard_params, custom_params, callback_params,
      decode(callback_destination_sealed, 'hex'), callback_origin, callback_statuses, correlation_id, idempotency_key,
      decode(request_fingerprint, 'hex'), not_before, not_before, case when held_by is not null then now() end, held_by,
      trace_context, search_terms, unknown_members, produced_as, template, template_languages
    from free
    where exists (
      select from consumer
      where consumer.id = free.consumer_id
        and consumer.api_key_hash = decode(free.api_key_hash, 'hex')
        and consumer.api_key_expires_on >= current_date
        and consumer.disabled_at is null
    ) ${condition}
    on conflict do nothing
    returning key, step_epoch, held_by
  ), event as (
    insert into print_job_event (print_job_key, sequence, transition, status, actor, reason, findings)
    select key, 1, 'submit', 'QUARANTINE', 'consumer', case job.held_by
      when 'consumer' then 'held until it is released'
      when 'contract' then 'held for approval, as its contract says' end, findings
    from job join input using (key)
  ), work as (
    insert into letter_waiting (lane, consumer_id, subject, version)
    select case when input.template is not null or jsonb_array_length(input.files) > 0 then 'files' else 'plain' end,
      input.consumer_id, key, step_epoch
    from job join input using (key)
  ), term as (
    insert into search_term (term, print_job_key)
    select unnest(search_terms || lasting_term), key from job join input using (key) where search_terms is not null
  ) ${writes}
  select key from job`

const inputFile = `, input_file as (
    select input.key, input.consumer_id, file.* from input, jsonb_to_recordset(input.files) as file (
      position integer, file_id text, source text, upload_id uuid, sha256 text, bytes integer, media_type text)
  )`
const insertFiles = `, file as (
    insert into print_job_file (print_job_key, position, file_id, source, upload_id, sha256, bytes, media_type)
    select key, position, file_id, source, upload_id, decode(sha256, 'hex'), bytes, media_type
    from job join input_file using (key)
  )`

const savePlain = { name: 'save-submissions', text: insertSubmissions({}) }

const saveWithFiles = {
  name: 'save-submissions-with-files',
  text: insertSubmissions({ inputs: inputFile, writes: insertFiles }),
}

// The lock lasts until the end of the statement: of two print jobs that use one upload, the second finds it taken.
const saveWithUploads = {
  name: 'save-submission-with-uploads',
  text: insertSubmissions({
    inputs: `${inputFile}, usable as materialized (
    select id from upload
    where id in (select upload_id from input_file)
      and consumer_id = (select consumer_id from input)
      and print_job_key is null
      and oversized_bytes is null
      and expires_at > now()
    for update
  )`,
    condition: 'and (select count(*) from usable) = (select count(upload_id) from input_file)',
    writes: `${insertFiles}, taken as (
    update upload set print_job_key = job.key from job where upload.id in (select id from usable)
  )`,
  }),
}

function toRow(submission: Submission) {
  return {
    key: submission.key,
    consumer_id: submission.consumerId,
    api_key_hash: submission.apiKeyHash,
    id: submission.id,
    contract_id: submission.contractId,
    standard_params: submission.standardParams,
    produced_as: submission.producedAs,
    custom_params: submission.customParams,
    callback_params: submission.callbackParams,
    callback_destination_sealed: submission.callbackDestinationSealed,
    callback_origin: submission.callbackOrigin,
    callback_statuses: submission.callbackStatuses,
    correlation_id: submission.correlationId,
    idempotency_key: submission.idempotencyKey,
    request_fingerprint: submission.requestFingerprint,
    not_before: submission.notBefore,
    held_by: submission.heldBy,
    trace_context: submission.traceContext,
    search_terms: submission.searchTerms?.personal,
    lasting_term: submission.searchTerms?.lasting,
    unknown_members: submission.unknownMembers,
    findings: submission.findings,
    template: submission.template,
    template_languages: submission.templateLanguages,
    files: submission.files.map((file, position) => ({
      position,
      file_id: file.fileId,
      source: file.source,
      ...(file.source === 'upload'
        ? { upload_id: file.uploadId }
        : { sha256: file.sha256, bytes: file.bytes, media_type: file.mediaType }),
    })),
  }
}

/** Finds why a submission was not saved. Checks for a taken id first, so that a late retry learns that it was saved. */
async function explainRefusal(pool: pg.Pool, submission: Submission): Promise<SubmissionOutcome> {
  const conflict = await findConflict(pool, submission)
  if (conflict) return conflict
  const uploadId = await findUnusableUpload(pool, submission)
  return uploadId ? { kind: 'upload-not-found', uploadId } : { kind: 'not-authenticated' }
}

/**
 * Returns the outcome of a submission whose id or Idempotency-Key belongs to an existing print job of the consumer,
 * otherwise undefined. The id of a retired print job is taken, its Idempotency-Key is free. The outcome is `saved` if the
 * print job is the one of this submission.
 */
export async function findConflict(
  pool: pg.Pool,
  { key, consumerId, id, idempotencyKey, requestFingerprint }: SubmissionIdentity,
): Promise<SubmissionOutcome | undefined> {
  const { rows } = await pool.query<Existing>(
    `select key, id, idempotency_key = $3 as repeated, request_fingerprint = decode($4, 'hex') as same,
       deleted_at as "deletedAt" from print_job
     where consumer_id = $1 and (id = $2 or idempotency_key = $3) order by idempotency_key = $3 desc nulls last limit 1`,
    [consumerId, id, idempotencyKey, requestFingerprint],
  )
  const existing = rows[0]
  if (!existing) return findRetired(pool, consumerId, id)
  if (existing.key === key) return { kind: 'saved', id }
  if (existing.repeated && existing.same) return { kind: 'repeated', id: existing.id }
  if (existing.repeated) return { kind: 'idempotency-key-reused' }
  const { same: sameContent, deletedAt } = existing
  return { kind: 'id-taken', sameContent, ...(deletedAt && { deletedAt }) }
}

type Existing = {
  key: string
  id: string
  repeated: boolean
  same: boolean
  deletedAt: Date | null
}

async function findRetired(
  pool: pg.Pool,
  consumerId: string,
  id: string,
): Promise<SubmissionOutcome | undefined> {
  const { rows } = await pool.query(
    `select from retired_print_job
     where first_hash = retired_id_hash($1, $2, 1) and second_hash = retired_id_hash($1, $2, 2)`,
    [consumerId, id],
  )
  return rows.length > 0 ? { kind: 'id-taken', sameContent: null } : undefined
}

async function findUnusableUpload(
  pool: pg.Pool,
  { consumerId, files }: Submission,
): Promise<string | undefined> {
  const uploadIds = files.flatMap((file) => (file.source === 'upload' ? [file.uploadId] : []))
  const { rows } = await pool.query<{ id: string }>(
    `select id from upload
     where id = any ($1::uuid[]) and consumer_id = $2 and print_job_key is null and expires_at > now()
       and oversized_bytes is null`,
    [uploadIds, consumerId],
  )
  const usable = new Set(rows.map(({ id }) => id))
  return uploadIds.find((id) => !usable.has(id))
}
