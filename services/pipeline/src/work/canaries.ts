import { canaryConsumerId, lanes } from '@despatch/domain/work/lane'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

type CanariesOptions = {
  db: Db
  everyMs: number
  nudgeScheduler: () => void
  onError: (error: Error) => void
}

/**
 * Adds a canary to each lane from time to time: an entry of a consumer of its own, without a letter. It takes the way of
 * a letter of a new consumer to a worker, and its wait is measured there although no letter may be waiting.
 */
export function startCanaries({ db, everyMs, nudgeScheduler, onError }: CanariesOptions): Repeated {
  let isStarting = true
  return repeat({
    name: 'canaries',
    everyMs,
    onError,
    pass: async () => {
      if (!isStarting && (await addCanaries(db)) > 0) nudgeScheduler()
      isStarting = false
      return 'idle'
    },
  })
}

/** Adds a canary to each lane in which none waits. Returns how many. */
export async function addCanaries(db: Db): Promise<number> {
  const { rows } = await sql`
    insert into work_waiting (lane, consumer_id, print_job_key)
    select lane, ${canaryConsumerId}, gen_random_uuid() from unnest(${[...lanes]}::text[]) as known (lane)
    where not exists (select from work_waiting where lane = known.lane and consumer_id = ${canaryConsumerId})
      and not exists (
        select from work_batch where lane = known.lane and ${canaryConsumerId}::uuid = any (consumer_ids))
    returning seq`.execute(db)
  return rows.length
}
