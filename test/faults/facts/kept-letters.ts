import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Database } from '@despatch/store/database'

/** A print job as the database holds it at the end. Times are milliseconds since 1970. */
export type KeptLetter = {
  id: string
  status: PrintJobStatus
  isParked: boolean
  /** The class of the last fault of its step. */
  failure?: string | null
  isDeleted: boolean
  submittedAt: number
  /** Null: it never was PENDING. */
  pendingAt: number | null
  /** Null: it never was DESPATCHED. */
  despatchedAt: number | null
  /** In order of their numbers. */
  timeline: { sequence: number; transition: string }[]
  /** Each as a number and a status, for example `1 PENDING`. In order of their numbers. */
  callbacks: string[]
}

const milliseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000)::double precision`

/** Reads every print job of a consumer. */
export async function readKeptLetters(
  { pool }: Database,
  consumerId: string,
): Promise<KeptLetter[]> {
  const { rows } = await pool.query<KeptLetter>(
    `select print_job.id, print_job.status, parked_at is not null as "isParked",
       step_failure as failure, deleted_at is not null as "isDeleted",
       ${milliseconds('print_job.created_at')} as "submittedAt", ${milliseconds('told.pending_at')} as "pendingAt",
       ${milliseconds('despatched_at')} as "despatchedAt", timeline, coalesce(owed.callbacks, '{}') as callbacks
     from print_job
     cross join lateral (
       select json_agg(json_build_object('sequence', sequence, 'transition', transition) order by sequence) as timeline,
         min(at) filter (where transition = 'accept') as pending_at
       from print_job_event where print_job_key = print_job.key
     ) told
     left join lateral (
       select array_agg(sequence || ' ' || callback.status order by sequence) as callbacks
       from callback where print_job_key = print_job.key
     ) owed on true
     where consumer_id = $1`,
    [consumerId],
  )
  return rows
}

export type Progress = {
  letters: number
  underWay: number
  parked: number
  callbacksLeft: number
  /** Runs that are claimed and not closed. */
  runsLeft: number
}

const beforePending = ['QUARANTINE', 'VALIDATING']

/** Counts how far the letters are on their way to a status. Rejected and deleted letters are no longer under way. */
export async function readProgress(
  { pool }: Database,
  consumerId: string,
  goal: 'PENDING' | 'DESPATCHED',
): Promise<Progress> {
  const { rows } = await pool.query<Progress>(
    `select count(*) as letters, count(*) filter (where parked_at is not null) as parked,
       count(*) filter (where deleted_at is null and status = any ($2)) as "underWay",
       (select count(*) from print_run where claimed_at is not null and state not in ('CLOSED', 'VOIDED')) as "runsLeft",
       (select count(*) from callback where consumer_id = $1 and state in ('WAITING', 'DUE')) as "callbacksLeft"
     from print_job where consumer_id = $1`,
    [consumerId, goal === 'PENDING' ? beforePending : [...beforePending, 'PENDING', 'PRODUCTION']],
  )
  return rows[0]!
}
