import { sql } from 'kysely'
import type { Db } from './database.ts'
import { transact } from './transact.ts'

export type OutboxTask = { queue: string; subject: string; epoch: number }

/**
 * Takes tasks that are due, publishes them, and removes them when publishing succeeded; a crash between the two
 * publishes again, which consumers tolerate. Several relays share the work. Returns how many were published.
 */
export async function relayOutbox(
  db: Db,
  tasksMax: number,
  publish: (tasks: readonly OutboxTask[]) => Promise<void>,
): Promise<number> {
  return transact(db, async (tx) => {
    const { rows } = await sql<OutboxTask>`
      delete from outbox where id in (
        select id from outbox where due_at <= now() order by due_at, id limit ${tasksMax} for update skip locked
      ) returning queue, subject, epoch`.execute(tx)
    if (rows.length > 0) await publish(rows)
    return rows.length
  })
}
