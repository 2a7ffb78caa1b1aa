import { prepared } from '@despatch/postgres/prepared'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from './database.ts'

type OutboxTask = { queue: string; subject: string; epoch: number }

type RelayOptions<Queue extends string> = {
  /** The queues that this release knows. Tasks of other queues stay in place for a release that knows them. */
  queues: readonly Queue[]
  /** The limit for one queue in one pass. */
  tasksMax: number
  /**
   * Publishes tasks to one queue. It must settle well within 10 s, after which the database ends an idle transaction:
   * the tasks are locked in the meantime.
   */
  publish: (queue: Queue, tasks: readonly OutboxTask[]) => Promise<void>
}

/**
 * Takes the due tasks of each queue, publishes them and deletes those that were published. A crash between the two
 * publishes them again, which consumers tolerate. Several relays share the work. `isMore`: a queue may have more due
 * tasks. If a queue does not accept its tasks, throws after deleting those of the other queues: no queue delays
 * another.
 */
export async function relayOutbox<Queue extends string>(
  db: Db,
  { queues, tasksMax, publish }: RelayOptions<Queue>,
): Promise<{ isMore: boolean }> {
  if (!(await isAnyDue(db, queues))) return { isMore: false }
  const relayed = await transact(db, async (tx) => {
    const { rows } = await sql<OutboxTask & { id: number; queue: Queue }>`
      select task.id, task.queue, task.subject, task.epoch
      from unnest(${[...queues]}::text[]) as known (queue)
      cross join lateral (
        select id, queue, subject, epoch from outbox
        where outbox.queue = known.queue and due_at <= now()
        order by due_at, id limit ${tasksMax} for update skip locked
      ) task`.execute(tx)
    const byQueue = [...Map.groupBy(rows, ({ queue }) => queue)]
    const published = await Promise.allSettled(
      byQueue.map(([queue, tasks]) => publish(queue, tasks.map(withoutId))),
    )
    const taken = byQueue.filter((_, place) => published[place]?.status === 'fulfilled')
    const ids = taken.flatMap(([, tasks]) => tasks.map(({ id }) => id))
    if (ids.length > 0) await sql`delete from outbox where id = any (${ids}::bigint[])`.execute(tx)
    const errors = published.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    return { errors, isMore: taken.some(([, tasks]) => tasks.length === tasksMax) }
  })
  const [error, ...others] = relayed.errors
  if (others.length > 0) throw new AggregateError(relayed.errors, 'Several queues took no tasks')
  if (error) throw error
  return { isMore: relayed.isMore }
}

/** A relay finds nothing most of the time. One statement costs less than a transaction. */
async function isAnyDue(db: Db, queues: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`${prepared('outbox-has-tasks')}
    select exists (
      select from outbox where queue = any (${[...queues]}::text[]) and due_at <= now()
    ) as any`.execute(db)
  return rows[0]!.any
}

function withoutId({ queue, subject, epoch }: OutboxTask): OutboxTask {
  return { queue, subject, epoch }
}
