import type pg from 'pg'
import type { TakenCallback } from './lease.ts'

/** What became of turns of a process. */
export type EndedTurns = {
  /** Turns without a callback. */
  batches: readonly string[]
  /** The callbacks that turns still have. */
  kept: readonly { batch: string; callbacks: readonly Pick<TakenCallback, 'id' | 'epoch'>[] }[]
}

/** Takes out of turns what has ended, and what was not called and is due for others. May run twice. */
export async function endTurns(
  client: pg.Pool | pg.PoolClient,
  { batches, kept }: EndedTurns,
): Promise<void> {
  if (batches.length === 0 && kept.length === 0) return
  const rows = kept.map(({ batch, callbacks }) => ({
    batch,
    subjects: callbacks.map(({ id }) => id),
    versions: callbacks.map(({ epoch }) => epoch),
  }))
  await client.query({ ...end, values: [batches, JSON.stringify(rows)] })
}

const end = {
  name: 'callbacks-end-turns',
  text: `
    with ended as (
      delete from callback_batch where id = any ($1::uuid[])
    )
    update callback_batch set subjects = kept.subjects, versions = kept.versions
    from json_to_recordset($2::json) as kept (batch uuid, subjects uuid[], versions integer[])
    where callback_batch.id = kept.batch`,
}
