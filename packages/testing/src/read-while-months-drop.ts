import type pg from 'pg'
import { eventually } from './eventually.ts'

/**
 * Drops the months of events and search terms up to that of the print jobs, as the pipeline does, and commits once
 * `read` waits for the lock on the table. Returns what `read` returns.
 */
export async function readWhileMonthsDrop<Result>(
  pool: pg.Pool,
  table: 'print_job_event' | 'search_term',
  read: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // the first partition of a new database ends in 32 to 62 days
    const drop = `select drop_letter_partitions(day, day, 1000) as dropped from (select current_date + 70 as day) until`
    let months = 0
    while ((await client.query(drop)).rows[0].dropped) months += 1
    if (months === 0) throw new Error('No month is dropped')
    const answer = read()
    answer.catch(() => {})
    const waiting = `
      select from pg_locks where not granted and relation = $1::regclass
        and database = (select oid from pg_database where datname = current_database())`
    await eventually(async () => (await client.query(waiting, [table])).rows[0], {
      message: 'the read waits for the lock',
    })
    await client.query('commit')
    return await answer
  } finally {
    client.release(true)
  }
}
