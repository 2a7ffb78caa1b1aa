import { addDays } from '@despatch/domain/calendar/london'
import { type DocumentStage, latenessInRun, missedUntil } from '@despatch/domain/print-job/lateness'
import type { Deadlines } from '@despatch/store/print-run/due-runs'
import {
  isReadyIn,
  isReadyInRange,
  isWaiting,
  type RangeOf,
  rangesByMethod,
} from '@despatch/store/print-run/waiting-letters'
import { type RawBuilder, sql } from 'kysely'

export type Late = 'at-risk' | 'overdue'

/**
 * Letters at risk or overdue, as a condition on `job`, and as a query for their keys, and perhaps for others, that reads
 * only what indexes find.
 */
type LateLetters = { says: RawBuilder<unknown>; keys: RawBuilder<unknown> }

/** Returns how to find the letters with this lateness. */
export function lateLetters(late: Late, deadlines: Deadlines): LateLetters {
  const inRun = isInLateRun(late, deadlines)
  const waiting = lateWaitingLetters(late, deadlines)
  return {
    says: sql`(
      job.status in ('PENDING', 'PRODUCTION') and exists (
        select from print_run_document document where document.print_job_key = job.key and ${inRun})
      or ${isWaiting} and ${waiting.says})`,
    keys: sql.join(
      [
        sql`select document.print_job_key as key from print_run_document document where ${inRun}`,
        ...waiting.keys,
      ],
      sql` union all `,
    ),
  }
}

function isInLateRun(late: Late, { runs, at }: Deadlines): RawBuilder<unknown> {
  // the documents of a run that has none at this stage are not read
  const batchNumbers = (stage: DocumentStage) =>
    [...runs.values()]
      .filter((run) => run[stage] > 0 && latenessInRun(run, stage, at) === late)
      .map(({ batchNumber }) => batchNumber)
  const [waiting, posted] = [batchNumbers('waiting'), batchNumbers('posted')]
  return sql`(
    document.batch_number = any (${[...new Set([...waiting, ...posted])]}::text[])
    and document.removed_at is null and document.voided_at is null and document.outcome is null
    and document.batch_number = any (
      case when document.posting_id is null then ${waiting}::text[] else ${posted}::text[] end))`
}

function lateWaitingLetters(
  late: Late,
  { at, today, letterClasses }: Deadlines,
): { says: RawBuilder<unknown>; keys: RawBuilder<unknown>[] } {
  const overdueUntil: RangeOf = (dueDates) => {
    const until = dueDates.readyUntil(addDays(today, -1))
    return until && { until }
  }
  const keysIn = (rangeOf: RangeOf) =>
    rangesByMethod(letterClasses, rangeOf).map(
      (range) => sql`select key from print_job job where ${isWaiting} and ${isReadyInRange(range)}`,
    )
  if (late === 'overdue') {
    return { says: isReadyIn(letterClasses, overdueUntil), keys: keysIn(overdueUntil) }
  }
  const notOverdue: RangeOf = (dueDates) => ({ from: overdueUntil(dueDates)?.until })
  const missed: RangeOf = (dueDates) => {
    const until = missedUntil(dueDates, at)
    return until && { ...notOverdue(dueDates), until }
  }
  return {
    says: sql`(${isReadyIn(letterClasses, missed)}
      or job.parked_at is not null and ${isReadyIn(letterClasses, notOverdue)})`,
    keys: [
      ...keysIn(missed),
      sql`select key from print_job job where job.parked_at is not null and ${isWaiting}`,
    ],
  }
}
