import { dueDateOf, readyUntil } from '@despatch/domain/calendar/due-date'
import {
  type DocumentStage,
  type Lateness,
  latenessInRun,
  latenessOfWaiting,
} from '@despatch/domain/print-job/lateness'
import { isFinal, type PrintJobStatus } from '@despatch/domain/print-job/status'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { Db } from '@despatch/store/database'
import {
  type Deadlines,
  despatchMethodOf,
  readDeadlines,
  readyAtOf,
} from '@despatch/store/print-run/due-runs'
import { sql } from 'kysely'

/** What a print job's due date follows from. */
export type DueFacts = {
  status: PrintJobStatus
  deletedAt: Date | null
  heldAt: Date | null
  parkedAt: Date | null
  methodToDespatch: PrintRunDespatchMethod
  readyAt: Date
  /** Its document in a print run. */
  inRun: { batchNumber: string; stage: DocumentStage; dueOn: LondonDate | null } | null
}

export type Due = { dueDate: LondonDate | null; lateness: Lateness | null }

/** Columns of `job` for `addDue`. */
export const dueColumns = sql`
  ${despatchMethodOf} as "methodToDespatch", ${readyAtOf} as "readyAt", (
    select json_build_object('batchNumber', document.batch_number, 'dueOn', run.expected_despatch_on,
      'stage', case when document.outcome = 'DESPATCHED' then 'despatched'
        when document.posting_id is not null then 'posted' else 'waiting' end)
    from print_run_document document join print_run run on run.batch_number = document.batch_number
    where document.print_job_key = job.key and document.removed_at is null and document.voided_at is null) as "inRun"`

/** Returns the print jobs with their due dates. Reads the deadlines, by default as of the database's time, only if one of them is still to be despatched. */
export async function addDue<Job extends DueFacts>(
  db: Db,
  jobs: readonly Job[],
  at?: Date,
): Promise<(Omit<Job, 'methodToDespatch' | 'readyAt' | 'inRun'> & Due)[]> {
  const isAnyOpen = jobs.some(({ status, deletedAt }) => !isFinal(status) && deletedAt === null)
  const deadlines = isAnyOpen ? await readDeadlines(db, at) : undefined
  return jobs.map((job) => {
    const { methodToDespatch: _, readyAt: __, inRun: ___, ...others } = job
    return { ...others, ...dueOf(job, deadlines) }
  })
}

const onNoDate: Due = { dueDate: null, lateness: null }

function dueOf(job: DueFacts, deadlines: Deadlines | undefined): Due {
  const { status, deletedAt, heldAt, parkedAt, inRun, methodToDespatch, readyAt } = job
  if (deletedAt !== null || status === 'REJECTED') return onNoDate
  if (status === 'DESPATCHED') return { dueDate: inRun?.dueOn ?? null, lateness: 'despatched' }
  if (!deadlines) return onNoDate
  const { at, runs, sitesOf } = deadlines
  if (inRun) {
    const run = runs.get(inRun.batchNumber)
    return { dueDate: inRun.dueOn, lateness: run ? latenessInRun(run, inRun.stage, at) : null }
  }
  if (heldAt !== null) return onNoDate
  const sites = sitesOf(methodToDespatch)
  const dueDate = dueDateOf(sites, methodToDespatch, readyAt)
  const lastCutOffAt = dueDate && readyUntil(sites, methodToDespatch, dueDate)
  if (!dueDate || !lastCutOffAt) return onNoDate
  const waiting = { dueOn: dueDate, lastCutOffAt, isParked: parkedAt !== null }
  return { dueDate, lateness: latenessOfWaiting(waiting, at) }
}
