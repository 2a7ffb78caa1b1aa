import { addDays } from '@despatch/domain/calendar/london'
import {
  type DocumentStage,
  type Lateness,
  latenesses,
  latenessInRun,
  latenessOfWaiting,
} from '@despatch/domain/print-job/lateness'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { Db } from '@despatch/store/database'
import {
  type Deadlines,
  despatchMethodOf,
  isWaiting,
  listReadyUntils,
  readDeadlines,
  readyAtOf,
} from '@despatch/store/print-run/due-runs'
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

/** Reads what is due, by default as of the database's time. Letters in print runs are counted by the database, and of the others a bounded number is read. */
export async function readDueToday(db: Db, given?: Date): Promise<DueToday> {
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
  const { groups, isMore } = await readWaiting(db, deadlines)
  for (const { dueOn, lastCutOffAt, isParked, count } of groups) {
    letters[latenessOfWaiting({ dueOn, lastCutOffAt, isParked }, at)] += count
  }
  return { date: today, letters, isMore }
}

type Waiting = { dueOn: LondonDate; lastCutOffAt: Date; isParked: boolean; count: number }
type WaitingRow = {
  despatchMethod: PrintRunDespatchMethod
  isEarlier: boolean
  isParked: boolean
  count: number
}

/** Counts the letters in no print run that are due today or earlier. Repeats the conditions of the indexes. */
async function readWaiting(
  db: Db,
  deadlines: Deadlines,
): Promise<{ groups: Waiting[]; isMore: boolean }> {
  const { today } = deadlines
  const yesterday = addDays(today, -1)
  const untils = listReadyUntils(deadlines, [yesterday, today])
  if (untils.length === 0) return { groups: [], isMore: false }
  const lastUntil = new Date(Math.max(...untils.map((each) => +each.untils[1]!)))
  const bounds = sql.join(
    untils.map(
      ({ despatchMethod, untils: [earlier, until] }) =>
        sql`(${despatchMethod}::text, ${earlier}::timestamptz, ${until}::timestamptz)`,
    ),
  )
  const oldestOf = (status: string) => sql`(
    select * from print_job job
    where status = ${sql.lit(status)} and deleted_at is null and ${isWaiting} and ${readyAtOf} < ${lastUntil}
    order by updated_at limit ${countedMax})`
  const { rows } = await sql<WaitingRow & { isMore: boolean }>`
    with job as materialized (
      ${oldestOf('QUARANTINE')} union all ${oldestOf('VALIDATING')} union all
      (select * from print_job job
      where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null
        and ${readyAtOf} < ${lastUntil}
      order by created_at limit ${countedMax})
    )
    select method as "despatchMethod", ${readyAtOf} < earlier as "isEarlier", parked_at is not null as "isParked",
      count(*) as count, (select count(*) from job) >= ${countedMax} as "isMore"
    from job join (values ${bounds}) as bound (method, earlier, until) on method = ${despatchMethodOf}
    where ${readyAtOf} < until
    group by 1, 2, 3`.execute(db)
  const groups = rows.map(({ despatchMethod, isEarlier, isParked, count }) => {
    const lastCutOffAt = untils.find((each) => each.despatchMethod === despatchMethod)!.untils[1]!
    return { dueOn: isEarlier ? yesterday : today, lastCutOffAt, isParked, count }
  })
  return { groups, isMore: rows[0]?.isMore ?? false }
}
