import { addDays } from '@despatch/domain/calendar/london'
import {
  type DocumentStage,
  type Lateness,
  latenesses,
  latenessInRun,
  latenessOfWaiting,
} from '@despatch/domain/print-job/lateness'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { Db } from '@despatch/store/database'
import { type Deadlines, readDeadlines } from '@despatch/store/print-run/due-runs'
import {
  despatchMethodOf,
  isReadyInRange,
  isWaiting,
  joinClass,
  type RangeOf,
  rangesByMethod,
  readyAtOf,
} from '@despatch/store/print-run/waiting-letters'
import { sql } from 'kysely'
import { countedMax } from './waiting-work.ts'

/** Letters that are due today, by lateness, and those due earlier that are not despatched. */
export type DueToday = {
  date: LondonDate
  letters: Record<Lateness, number>
  /** More letters wait outside print runs than are counted: there may be more of each. */
  isMore: boolean
}

/** The stages of a document, with the counts of a run. */
const stages: readonly DocumentStage[] = ['waiting', 'posted', 'despatched']

/**
 * Reads what is due, by default as of the database's time. Letters in print runs are counted by the database. Of the
 * others, up to `lettersMax` are read for each despatch method.
 */
export async function readDueToday(
  db: Db,
  given?: Date,
  lettersMax = countedMax,
): Promise<DueToday> {
  const deadlines = await readDeadlines(db, given)
  const { at, today, runs } = deadlines
  const letters = Object.fromEntries(latenesses.map((lateness) => [lateness, 0])) as Record<
    Lateness,
    number
  >
  for (const run of runs.values()) {
    if (run.dueOn > today) continue
    for (const stage of stages) {
      if (run.dueOn < today && stage === 'despatched') continue
      letters[latenessInRun(run, stage, at)] += run[stage]
    }
  }
  const { groups, isMore } = await readWaiting(db, deadlines, lettersMax)
  for (const { until, isEarlier, isParked, count } of groups) {
    const dueOn = isEarlier ? addDays(today, -1) : today
    letters[latenessOfWaiting({ dueOn, until, isParked }, at)] += count
  }
  return { date: today, letters, isMore }
}

type Waiting = { until: Date; isEarlier: boolean; isParked: boolean; count: number }
type WaitingRow = { groups: (Omit<Waiting, 'until'> & { until: string })[]; isMore: boolean }

/**
 * Counts the letters in no print run that are due today or earlier. Of each despatch method, it reads those that have
 * been ready for longest, by the index print_job_waiting_as.
 */
async function readWaiting(
  db: Db,
  { today, letterClasses }: Deadlines,
  lettersMax: number,
): Promise<{ groups: Waiting[]; isMore: boolean }> {
  const dueToday: RangeOf = (dueDates) => {
    const until = dueDates.readyUntil(today)
    return until && { from: dueDates.readyUntil(addDays(today, -1)), until }
  }
  const ranges = rangesByMethod(letterClasses, dueToday)
  if (ranges.length === 0) return { groups: [], isMore: false }
  const oldest = ranges.map(
    ({ despatchMethod, until }) => sql`(
      select contract_id, document_sheets, produced_as, standard_params, created_at, not_before, hold_ended_at, parked_at
      from print_job job
      where ${isWaiting} and ${isReadyInRange({ despatchMethod, until })}
      order by ${readyAtOf} limit ${lettersMax})`,
  )
  const { rows } = await sql<WaitingRow>`
    with job as materialized (${sql.join(oldest, sql` union all `)})
    select coalesce((
        select json_agg(letters) from (
          select class.ready_until as until, coalesce(${readyAtOf} < class.ready_from, false) as "isEarlier",
            job.parked_at is not null as "isParked", count(*) as count
          from job ${joinClass(letterClasses, dueToday)}
          where ${readyAtOf} < class.ready_until
          group by 1, 2, 3) letters), '[]') as groups,
      exists (select from job group by ${despatchMethodOf} having count(*) >= ${lettersMax}) as "isMore"`.execute(
    db,
  )
  const { groups, isMore } = rows[0]!
  return { groups: groups.map((group) => ({ ...group, until: new Date(group.until) })), isMore }
}
