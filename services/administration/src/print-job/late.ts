import { addDays } from '@despatch/domain/calendar/london'
import { type DocumentStage, latenessInRun, missedUntil } from '@despatch/domain/print-job/lateness'
import {
  type Deadlines,
  despatchMethodOf,
  isWaiting,
  listReadyUntils,
  readyAtOf,
} from '@despatch/store/print-run/due-runs'
import { type RawBuilder, sql } from 'kysely'

export type Late = 'at-risk' | 'overdue'

/** Letters at risk or overdue, as a condition on `job`, and as a query for their keys that reads indexes. */
export type LateLetters = { says: RawBuilder<unknown>; keys: RawBuilder<unknown> }

/** Returns how to find the letters with this lateness. */
export function lateLetters(late: Late, deadlines: Deadlines): LateLetters {
  const inRun = isInLateRun(late, deadlines)
  const waiting = isWaitingLate(late, deadlines)
  // The branches repeat the conditions of the indexes print_job_live and print_job_gatherable.
  return {
    says: sql`(
      job.status in ('PENDING', 'PRODUCTION') and exists (
        select from print_run_document document where document.print_job_key = job.key and ${inRun})
      or ${isWaiting} and ${waiting})`,
    keys: sql`
      select document.print_job_key as key from print_run_document document where ${inRun}
      union all
      select key from print_job job
      where deleted_at is null and status in ('QUARANTINE', 'VALIDATING') and ${isWaiting} and ${waiting}
      union all
      select key from print_job job
      where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null and ${waiting}`,
  }
}

function isInLateRun(late: Late, { runs, at }: Deadlines): RawBuilder<unknown> {
  const batchNumbers = (stage: DocumentStage) =>
    [...runs.values()]
      .filter((run) => latenessInRun(run, stage, at) === late)
      .map(({ batchNumber }) => batchNumber)
  const [waiting, posted] = [batchNumbers('waiting'), batchNumbers('posted')]
  return sql`(
    document.batch_number = any (${[...new Set([...waiting, ...posted])]}::text[])
    and document.removed_at is null and document.voided_at is null and document.outcome is null
    and document.batch_number = any (
      case when document.posting_id is null then ${waiting}::text[] else ${posted}::text[] end))`
}

function isWaitingLate(late: Late, { at, today, sitesOf }: Deadlines): RawBuilder<unknown> {
  const overdue = listReadyUntils({ sitesOf }, [addDays(today, -1)])
  const ofMethods = overdue.map(({ despatchMethod, untils: [overdueUntil] }) => {
    const isOfMethod = sql`${despatchMethodOf} = ${despatchMethod}`
    if (late === 'overdue') return sql`${isOfMethod} and ${readyAtOf} < ${overdueUntil}`
    const until = missedUntil(sitesOf(despatchMethod), despatchMethod, at)
    return sql`${isOfMethod} and ${readyAtOf} >= ${overdueUntil}
      and (job.parked_at is not null or ${readyAtOf} < ${until})`
  })
  return ofMethods.length === 0 ? sql`false` : sql`(${sql.join(ofMethods, sql` or `)})`
}
