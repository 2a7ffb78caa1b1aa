import { randomUUID } from 'node:crypto'
import type { PrintableAddress } from '@despatch/domain/address/address'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import type { Finding } from '@despatch/domain/preflight/finding'
import {
  type PrintJobStatus,
  type Transition,
  transitions,
} from '@despatch/domain/print-job/status'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import { prepared } from '@despatch/postgres/prepared'
import { sql } from 'kysely'
import { insertCallbacks, type NewCallback } from '../callback/insert.ts'
import type { Tx } from '../database.ts'

/** One print job to move. With `epoch`, it moves only if no other outcome of its step came first. */
export type Move = {
  key: string
  epoch?: number
  comment?: string
  /** What preflight found; kept with the event of the move. */
  findings?: readonly Finding[]
  made?: Made
  fulfilment?: Fulfilment
}

/** The results of the stages for a print job. */
export type Made = {
  printableAddress: PrintableAddress
  documentSha256: string
  documentBytes: number
  documentPages: number
  documentSheets: number
}

/** Fulfilment data of a print job. */
type Fulfilment = {
  batchNumber?: string
  fulfilmentJobId?: string
  documentId?: string
  printLocation?: string
  serialNumber?: string
  despatchProperties?: readonly DespatchProperty[]
}

export type MoveOptions = {
  actor: string
  /** For the timeline. Default: the comment of each. */
  reason?: string | undefined
  /**
   * For `accept`: the print jobs are in QUARANTINE, and this actor releases them in the same statement. Both events and
   * both owed callbacks are written.
   */
  releasedBy?: string
}

/**
 * Moves print jobs by one transition and returns the keys of those that it moved. A key is missing if the print job was
 * moved, deleted or taken over first, or has left the print run that is to produce it. The event and the owed
 * callback are written in the same transaction. This is the only UPDATE of print_job.status in the system. Its
 * conditions are inside a coalesce so that the planner uses only the keys: its statistics may be from before a print
 * run brought a hundred thousand print jobs into the status.
 */
export async function movePrintJobs(
  tx: Tx,
  moves: readonly Move[],
  transition: Transition,
  { actor, reason, releasedBy }: MoveOptions,
): Promise<string[]> {
  if (moves.length === 0) return []
  const { to } = transitions[transition]
  const isReleased = releasedBy !== undefined
  const { from } = transitions[isReleased ? 'release' : transition]
  // the worker that releases a print job continues with its next step under the same epoch
  const keepsEpoch = transition === 'release'
  const { rows } = await sql<MovedRow>`${prepared('move-print-jobs')}
    with move as (
      select * from json_to_recordset(${JSON.stringify(moves.map(toRow))}::json) as row (
        key uuid, epoch integer, comment text, findings jsonb, printable_address jsonb, document_sha256 text,
        document_bytes integer, document_pages integer, document_sheets integer, batch_number text,
        fulfilment_job_id text, document_id text, print_location text, serial_number text, despatch_properties jsonb)
    ), moved as (
      update print_job job set
        status = ${to},
        comment = coalesce(move.comment, job.comment),
        printable_address = coalesce(move.printable_address, job.printable_address),
        document_sha256 = coalesce(decode(move.document_sha256, 'hex'), job.document_sha256),
        document_bytes = coalesce(move.document_bytes, job.document_bytes),
        document_pages = coalesce(move.document_pages, job.document_pages),
        document_sheets = coalesce(move.document_sheets, job.document_sheets),
        batch_number = coalesce(move.batch_number, job.batch_number),
        fulfilment_job_id = coalesce(move.fulfilment_job_id, job.fulfilment_job_id),
        document_id = coalesce(move.document_id, job.document_id),
        print_location = coalesce(move.print_location, job.print_location),
        serial_number = coalesce(move.serial_number, job.serial_number),
        despatch_properties = coalesce(move.despatch_properties, job.despatch_properties),
        event_sequence = job.event_sequence + ${isReleased ? 2 : 1},
        callback_sequence = job.callback_sequence
          + case when ${owesFor(to)} then 1 else 0 end
          + case when ${isReleased} and ${owesFor('VALIDATING')} then 1 else 0 end,
        step_epoch = case when ${keepsEpoch} then job.step_epoch else job.step_epoch + 1 end,
        step_starts = case when ${keepsEpoch} then job.step_starts else 0 end,
        step_failures = 0,
        step_failure = null,
        parked_at = null,
        updated_at = now(),
        despatched_at = case when ${to} = 'DESPATCHED' then now() end
      from move
      where job.key = move.key
        and coalesce(job.status = any (${[...from]}::text[])
          and job.deleted_at is null
          and (move.epoch is null or job.step_epoch = move.epoch)
          and (${transition !== 'produce'} or move.batch_number is null or job.batch_number = move.batch_number), false)
      returning job.key, job.id, job.event_sequence, job.callback_sequence, job.step_epoch,
        job.despatch_properties, job.correlation_id, job.updated_at, job.standard_params ->> 'jobType' as job_type,
        job.standard_params ->> 'templateReference' as template_reference, move.comment as moved_comment, move.findings as moved_findings,
        ${owesFor(to)} as owes_callback, ${isReleased} and ${owesFor('VALIDATING')} as owes_release_callback
    ), event as (
      insert into print_job_event (print_job_key, sequence, transition, status, actor, reason, findings)
      select key, event_sequence - 1, 'release', 'VALIDATING', ${releasedBy ?? null}, null, null
      from moved where ${isReleased}
      union all
      select key, event_sequence, ${transition}, ${to}, ${actor}, coalesce(${reason ?? null}, moved_comment), moved_findings
      from moved
    )
    select key, id, event_sequence, callback_sequence, step_epoch, moved_comment, despatch_properties, correlation_id,
      updated_at, job_type, template_reference, owes_callback, owes_release_callback
    from moved`.execute(tx)
  const ofRelease = rows
    .filter((row) => row.owes_release_callback)
    .map((row) => {
      const sequence = row.callback_sequence - (row.owes_callback ? 1 : 0)
      // The comment belongs to the acceptance, which comes after the release.
      return newCallback({ ...row, callback_sequence: sequence, moved_comment: null }, 'VALIDATING')
    })
  await insertCallbacks(tx, ofRelease, { kind: 'status', status: 'VALIDATING' })
  const owed = rows.filter((row) => row.owes_callback).map((row) => newCallback(row, to))
  await insertCallbacks(tx, owed, { kind: 'status', status: to })
  return rows.map(({ key }) => key)
}

/** SQL: whether the consumer of a print job `job` wants a callback for the status. */
const owesFor = (status: PrintJobStatus) =>
  sql`(job.callback_params is not null and ${status} = any (job.callback_statuses))`

type MovedRow = {
  key: string
  id: string
  event_sequence: number
  callback_sequence: number
  step_epoch: number
  /** The comment of this transition only. The print job keeps it, but no later callback repeats it. */
  moved_comment: string | null
  despatch_properties: DespatchProperty[] | null
  correlation_id: string
  updated_at: Date
  job_type: string
  template_reference: string
  owes_callback: boolean
  owes_release_callback: boolean
}

function toRow({ key, epoch, comment, findings = [], made, fulfilment }: Move) {
  return {
    key,
    epoch,
    comment,
    ...(findings.length > 0 && { findings }),
    printable_address: made?.printableAddress,
    document_sha256: made?.documentSha256,
    document_bytes: made?.documentBytes,
    document_pages: made?.documentPages,
    document_sheets: made?.documentSheets,
    batch_number: fulfilment?.batchNumber,
    fulfilment_job_id: fulfilment?.fulfilmentJobId,
    document_id: fulfilment?.documentId,
    print_location: fulfilment?.printLocation,
    serial_number: fulfilment?.serialNumber,
    despatch_properties: fulfilment?.despatchProperties,
  }
}

function newCallback(row: MovedRow, status: PrintJobStatus): NewCallback {
  const id = randomUUID()
  const body = renderStatusMessage({
    messageId: id,
    sequence: row.callback_sequence,
    printJobId: row.id,
    jobType: row.job_type,
    templateReference: row.template_reference,
    status,
    at: row.updated_at,
    comment: row.moved_comment,
    despatchProperties: row.despatch_properties,
    correlationId: row.correlation_id,
  })
  return { id, key: row.key, sequence: row.callback_sequence, body: Buffer.from(body) }
}
