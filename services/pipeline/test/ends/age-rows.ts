import type { Database } from '@despatch/store/database'
import { listColumns } from './columns.ts'

/** The birth of the database decides which objects are its own, and the bounds of partitions are those of ids. */
const ageless = ['migration', 'letter_partition']
const times = ['timestamp with time zone', 'date']

/**
 * Moves every time and day of every table into the past, so that everything that lasts for a time is over. Columns are
 * found in the database, so that one that a migration adds is aged too.
 */
export async function ageRows(pool: Database['pool'], { days }: { days: number }): Promise<void> {
  const tables = await listColumns(pool)
  const client = await pool.connect()
  try {
    // the audits refuse changes, and counts would count them
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    for (const { table, columns } of tables.filter((each) => !ageless.includes(each.table))) {
      const aged = columns
        .filter(({ type, isGenerated }) => times.includes(type) && !isGenerated)
        .map(({ name }) => `"${name}" = ("${name}" - ${days}::integer * interval '1 day')`)
      if (aged.length > 0) await client.query(`update "${table}" set ${aged.join(', ')}`)
    }
    // these counts name the time that they are of in words; counts of two times stay two
    await client.query(`update count_total
      set state = period_of_submission(state::timestamptz - interval '2 days')
      where what in ('submission', 'attempt', 'attempt_of_origin', 'time_to_answer')`)
    await client.query('commit')
  } finally {
    client.release()
  }
}
