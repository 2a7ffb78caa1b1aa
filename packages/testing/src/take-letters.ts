import type { Lane } from '@despatch/domain/work/lane'
import type { Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { takeBatch } from '@despatch/work/batch-lease'
import { sql } from 'kysely'

/** Offers these letters as one batch, wherever else they wait. */
export async function offerLetters(
  db: Db,
  keys: readonly string[],
  lane: Lane = 'plain',
): Promise<{ id: string; epoch: number }> {
  const { rows } = await sql<{ id: string; epoch: number }>`
    insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, versions)
    values (${lane}, 'letters', false, now() + interval '1 hour',
      array(select distinct consumer_id from print_job where key = any (${keys}::uuid[])), ${keys}::uuid[],
      array(select coalesce(step_epoch, 0) from unnest(${keys}::uuid[]) with ordinality as letter (key, place)
        left join print_job using (key) order by place))
    returning id, epoch`.execute(db)
  return rows[0]!
}

/** Leases these letters as one batch, as a worker does, and returns those that it takes, in the order of their keys. */
export async function takeLetters(
  db: Db,
  keys: readonly string[],
  lane?: Lane,
): Promise<TakenStep[]> {
  const taken = await takeBatch(db, letterKind, await offerLetters(db, keys, lane), 60)
  return taken!.subjects.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

/** Lets the leases of all batches of a letter expire, or those of all batches. */
export async function expireLeases(db: Db, key?: string): Promise<void> {
  await sql`update letter_batch set leased_until = now() - interval '3 seconds'
    where leased_until is not null and (${key ?? null}::uuid is null or ${key ?? null} = any (subjects))`.execute(
    db,
  )
}
