import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { DocumentOutcome } from '@despatch/domain/print-run/document-progress'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Database } from '@despatch/store/database'

/** What the database holds at the end, and what the factories recorded as printed. */
export type PrintHistory = {
  printJobs: HistoryPrintJob[]
  runs: {
    batchNumber: string
    providerId: string
    state: PrintRunState
    isClaimed: boolean
  }[]
  documents: HistoryDocument[]
  reprints: {
    batchNumber: string
    documentId: string
    attempt: number
    state: 'WAITING' | 'AUTHORISED' | 'REFUSED'
  }[]
  postings: { id: string; confirmedCount: number | null }[]
  printLog: PrintedLine[]
}

export type HistoryPrintJob = {
  key: string
  status: PrintJobStatus
  isDeleted: boolean
  /** In order of the sequence numbers. */
  timeline: { sequence: number; transition: string }[]
}

export type HistoryDocument = {
  batchNumber: string
  documentId: string
  key: string
  firstAttempt: number
  /** The attempt that finally counts. */
  attempt: number
  sha256: string
  outcome: DocumentOutcome | null
  postingId: string | null
  /** Neither withdrawn nor reassigned to another run. */
  isLive: boolean
}

export type PrintedLine = {
  providerId: string
  documentId: string
  attempt: number
  batchNumber: string
  sha256: string
}

/** A factory and the directory of its print log. */
export type Factory = { id: string; directory: string }

/** Reads the history of the letters of these contracts. */
export async function readPrintHistory(
  { pool }: Database,
  contractIds: readonly string[],
  factories: readonly Factory[],
): Promise<PrintHistory> {
  const read = async <Row extends object>(statement: string) =>
    (await pool.query<Row>(statement, [contractIds])).rows
  const ofContract =
    'join print_job on print_job.key = document.print_job_key and contract_id = any ($1::uuid[])'
  const inRuns = `batch_number in (select document.batch_number from print_run_document document ${ofContract})`
  return {
    printJobs: await read(
      `select key, print_job.status, deleted_at is not null as "isDeleted",
         json_agg(json_build_object('sequence', sequence, 'transition', transition) order by sequence) as timeline
       from print_job join print_job_event on print_job_key = key where contract_id = any ($1::uuid[])
       group by key`,
    ),
    runs: await read(
      `select batch_number as "batchNumber", provider_id as "providerId", state,
         claimed_at is not null as "isClaimed"
       from print_run where ${inRuns}`,
    ),
    documents: await read(
      `select document.batch_number as "batchNumber", document.document_id as "documentId", key,
         first_attempt as "firstAttempt", attempt, encode(sha256, 'hex') as sha256, outcome, posting_id as "postingId",
         removed_at is null and voided_at is null as "isLive"
       from print_run_document document ${ofContract}`,
    ),
    reprints: await read(
      `select batch_number as "batchNumber", document_id as "documentId", attempt, state
       from reprint where ${inRuns}`,
    ),
    postings: await read(
      `select id, confirmed_count as "confirmedCount" from posting
       where id in (select posting_id from posting_run where ${inRuns})`,
    ),
    printLog: (await Promise.all(factories.map(readPrintLog))).flat(),
  }
}

/** A line that a crash truncated was not printed: the factory writes the line before it continues. */
async function readPrintLog({ id, directory }: Factory): Promise<PrintedLine[]> {
  const text = await readFile(join(directory, 'print-log.ndjson'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => ({ ...JSON.parse(line), providerId: id }))
}
