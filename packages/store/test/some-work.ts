import type pg from 'pg'

/** Where a letter waits for a worker. */
export type Place =
  | { place: 'waiting'; lane: string }
  | { place: 'later'; lane: string; waitsFor: string | null; isDue: boolean }
  | { place: 'batch'; lane: string; queue: string; epoch: number }

/** Returns each place in the waiting work that a letter has. A batch that a worker has taken is none. */
export async function placesOf({ pool }: { pool: pg.Pool }, key: string): Promise<Place[]> {
  const { rows } = await pool.query<{ place: Place }>(
    `select json_build_object('place', 'waiting', 'lane', lane) as place from letter_waiting where subject = $1
     union all
     select json_build_object('place', 'later', 'lane', lane, 'waitsFor', waits_for, 'isDue', due_at <= now())
     from letter_later where subject = $1
     union all
     select json_build_object('place', 'batch', 'lane', lane, 'queue', queue, 'epoch', epoch)
     from letter_batch where $1 = any (subjects) and leased_until is null`,
    [key],
  )
  return rows.map(({ place }) => place)
}

/** Removes everything from the waiting work. The print jobs stay. */
export async function clearWork({ pool }: { pool: pg.Pool }): Promise<void> {
  await pool.query('truncate letter_waiting, letter_later, letter_batch, letter_spent')
}

/** A file of a submission. */
export const aFile = {
  fileId: 'scan',
  source: 'custom-param' as const,
  sha256: 'ab'.repeat(32),
  bytes: 12,
  mediaType: 'image/png',
}
