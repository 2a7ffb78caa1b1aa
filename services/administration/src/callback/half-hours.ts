import type {
  ConsumerPerformance,
  HalfHours,
} from '@despatch/contracts/administration/callback-performance'
import { halfHoursUntil, halfHourText } from '@despatch/domain/calendar/half-hours'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

type Result = 'delivered' | 'failed'

/** Reads the attempts of each consumer at each of its origins in the last day. They are counted by half hour. */
export async function readHalfHours(
  db: Db,
  consumers: readonly Pick<ConsumerPerformance, 'consumerId' | 'origins'>[],
  now: Date,
): Promise<(consumerId: string, origin: string) => HalfHours> {
  const halfHours = halfHoursUntil(now)
  const states = halfHours.map(halfHourText)
  const subjects = consumers.flatMap(({ consumerId, origins }) =>
    origins.flatMap(({ origin }) => [
      subjectOf('delivered', consumerId, origin),
      subjectOf('failed', consumerId, origin),
    ]),
  )
  const { rows } = await sql<{ subject: string; state: string; count: number }>`
    select subject, state, count from current_count
    where what = 'attempt_of_origin' and state = any (${states}) and subject = any (${subjects})`.execute(
    db,
  )
  const counts = new Map(rows.map(({ subject, state, count }) => [`${state} ${subject}`, count]))
  const countsOf = (subject: string) =>
    states.map((state) => counts.get(`${state} ${subject}`) ?? 0)
  return (consumerId, origin) => ({
    from: halfHours[0]!,
    delivered: countsOf(subjectOf('delivered', consumerId, origin)),
    failed: countsOf(subjectOf('failed', consumerId, origin)),
  })
}

/** The trigger count_callback_attempts writes it. */
function subjectOf(result: Result, consumerId: string, origin: string): string {
  return `${result} ${consumerId} ${origin}`
}
