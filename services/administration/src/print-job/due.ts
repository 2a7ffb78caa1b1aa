import {
  type DocumentStage,
  type Lateness,
  latenessInRun,
  latenessOfWaiting,
} from '@despatch/domain/print-job/lateness'
import { isFinal, type PrintJobStatus } from '@despatch/domain/print-job/status'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { LetterNeeds } from '@despatch/domain/print-run/letter-classes'
import type { Db } from '@despatch/store/database'
import { type Deadlines, readDeadlines } from '@despatch/store/print-run/due-runs'
import { despatchMethodOf, readyAtOf } from '@despatch/store/print-run/waiting-letters'
import { sql } from 'kysely'

/** What a print job's due date follows from. */
export type DueFacts = {
  status: PrintJobStatus
  deletedAt: Date | null
  heldAt: Date | null
  parkedAt: Date | null
  needs: LetterNeeds
  readyAt: Date
  /** Its document in a print run. */
  inRun: { batchNumber: string; stage: DocumentStage; dueOn: LondonDate | null } | null
}

export type Due = { dueDate: LondonDate | null; lateness: Lateness | null }

/** Columns of `job` for `addDue`. */
export const dueColumns = sql`
  (select json_build_object('despatchMethod', ${despatchMethodOf}, 'stationery', contract.stationery,
      'plex', contract.plex, 'colour', contract.colour, 'sheets', job.document_sheets)
    from contract where contract.id = job.contract_id) as needs, ${readyAtOf} as "readyAt", (
    select json_build_object('batchNumber', document.batch_number, 'dueOn', run.expected_despatch_on,
      'stage', case when document.outcome = 'DESPATCHED' then 'despatched'
        when document.posting_id is not null then 'posted' else 'waiting' end)
    from print_run_document document join print_run run on run.batch_number = document.batch_number
    where document.print_job_key = job.key and document.removed_at is null and document.voided_at is null) as "inRun"`

/**
 * Returns the print jobs with their due dates. Reads the deadlines, by default as of the database's time, only if one of
 * them is still to be despatched.
 */
export async function addDue<Job extends DueFacts>(
  db: Db,
  jobs: readonly Job[],
  at?: Date,
): Promise<(Omit<Job, 'needs' | 'readyAt' | 'inRun'> & Due)[]> {
  const isAnyOpen = jobs.some(({ status, deletedAt }) => !isFinal(status) && deletedAt === null)
  const deadlines = isAnyOpen ? await readDeadlines(db, at) : undefined
  return jobs.map((job) => {
    const { needs: _, readyAt: __, inRun: ___, ...others } = job
    return { ...others, ...dueOf(job, deadlines) }
  })
}

const onNoDate: Due = { dueDate: null, lateness: null }

function dueOf(job: DueFacts, deadlines: Deadlines | undefined): Due {
  const { status, deletedAt, heldAt, parkedAt, inRun, needs, readyAt } = job
  if (deletedAt !== null || status === 'REJECTED') return onNoDate
  if (status === 'DESPATCHED') return { dueDate: inRun?.dueOn ?? null, lateness: 'despatched' }
  if (!deadlines) return onNoDate
  const { at, runs, dueDatesFor } = deadlines
  if (inRun) {
    const run = runs.get(inRun.batchNumber)
    return { dueDate: inRun.dueOn, lateness: run ? latenessInRun(run, inRun.stage, at) : null }
  }
  if (heldAt !== null) return onNoDate
  const period = dueDatesFor(needs)?.periodOf(readyAt)
  if (!period) return onNoDate
  const lateness = latenessOfWaiting({ ...period, isParked: parkedAt !== null }, at)
  return { dueDate: period.dueOn, lateness }
}
