import { sql } from 'kysely'
import { canaryConsumerId } from './canary-consumer.ts'
import { type Db, type Kind, lanesOf, tablesOf } from './kind.ts'
import type { PeriodicTask } from './periodic-tasks.ts'

type CanariesOptions = {
  db: Db
  kind: Kind
  everyMs: number
  nudgeScheduler: () => void
}

/**
 * Adds a canary to each lane from time to time: an entry of a consumer of its own, without a subject. It takes the way
 * of a subject of a new consumer to a worker, and its wait is measured there although no subject may be waiting.
 */
export function canaryTask({ db, kind, everyMs, nudgeScheduler }: CanariesOptions): PeriodicTask {
  let isStarting = true
  return {
    name: 'canaries',
    everyMs,
    pass: async () => {
      if (!isStarting && (await addCanaries(db, kind)) > 0) nudgeScheduler()
      isStarting = false
      return 'idle'
    },
  }
}

/** Adds a canary to each lane in which none waits. Returns how many. */
export async function addCanaries(db: Db, kind: Kind): Promise<number> {
  const { waiting, batch } = tablesOf(kind)
  const { rows } = await sql`
    insert into ${waiting} (lane, consumer_id, subject, version)
    select lane, ${canaryConsumerId}, gen_random_uuid(), 0 from unnest(${lanesOf(kind)}::text[]) as known (lane)
    where not exists (select from ${waiting} where lane = known.lane and consumer_id = ${canaryConsumerId})
      and not exists (
        select from ${batch} where lane = known.lane and ${canaryConsumerId}::uuid = any (consumer_ids))
    returning seq`.execute(db)
  return rows.length
}
