import type pg from 'pg'

/** Where a letter waits for a worker. */
export type Place =
  | { place: 'waiting'; lane: string }
  | { place: 'later'; lane: string; waitsFor: string | null; isDue: boolean }
  | { place: 'batch'; lane: string; queue: string; epoch: number }

/** Returns each place in the waiting work that a letter has. A batch that a worker has taken is none. */
export async function placesOf({ pool }: { pool: pg.Pool }, key: string): Promise<Place[]> {
  const { rows } = await pool.query<{ place: Place }>(
    `select json_build_object('place', 'waiting', 'lane', lane) as place from work_waiting where print_job_key = $1
     union all
     select json_build_object('place', 'later', 'lane', lane, 'waitsFor', waits_for, 'isDue', due_at <= now())
     from work_later where print_job_key = $1
     union all
     select json_build_object('place', 'batch', 'lane', lane, 'queue', queue, 'epoch', epoch)
     from work_batch where $1 = any (print_job_keys) and leased_until is null`,
    [key],
  )
  return rows.map(({ place }) => place)
}

/** Removes everything from the waiting work. The print jobs stay. */
export async function clearWork({ pool }: { pool: pg.Pool }): Promise<void> {
  await pool.query('truncate work_waiting, work_later, work_batch, work_spent')
}

/** A file of a submission. */
export const aFile = {
  fileId: 'scan',
  source: 'custom-param' as const,
  sha256: 'ab'.repeat(32),
  bytes: 12,
  mediaType: 'image/png',
}
