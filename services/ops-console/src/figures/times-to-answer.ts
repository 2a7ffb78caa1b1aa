import { halfHoursUntil, halfHourText } from '@despatch/domain/calendar/half-hours'
import { type AnswerCount, estimateAnswerMs } from '@despatch/domain/callback/answer-time'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** Estimates of the time until receivers of callbacks answered, or the time limit. Null: no attempt had either. */
type AnswerPercentiles = { p50Ms: number | null; p95Ms: number | null }

/** Times to answer in the last 24 hours, by half hour. The last half hour has only begun. */
export type TimesToAnswer = AnswerPercentiles & {
  /** When the first half hour began. */
  from: Date
  halfHours: AnswerPercentiles[]
}

/** Times to answer are counted by half hour and bucket, for 25 hours. */
export async function readTimesToAnswer(db: Db, now: Date): Promise<TimesToAnswer> {
  const halfHours = halfHoursUntil(now)
  const { rows } = await sql<AnswerCount & { state: string }>`
    select subject::integer as "boundMs", state, count from current_count
    where what = 'time_to_answer' and state = any (${halfHours.map(halfHourText)})`.execute(db)
  return {
    from: halfHours[0]!,
    ...percentilesOf(rows),
    halfHours: halfHours.map((halfHour) =>
      percentilesOf(rows.filter(({ state }) => state === halfHourText(halfHour))),
    ),
  }
}

function percentilesOf(counts: readonly AnswerCount[]): AnswerPercentiles {
  return { p50Ms: estimateAnswerMs(counts, 0.5), p95Ms: estimateAnswerMs(counts, 0.95) }
}
