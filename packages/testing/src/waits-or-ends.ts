import type pg from 'pg'
import { eventually } from './eventually.ts'

/** Returns what an operation does first: it ends, or a session of its database waits for a lock that another one has. */
export async function waitsOrEnds(
  pool: pg.Pool,
  operation: Promise<unknown>,
): Promise<'waits' | 'ends'> {
  let hasEnded = false
  const note = () => {
    hasEnded = true
  }
  operation.then(note, note)
  return eventually(
    async () => {
      if (hasEnded) return 'ends'
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount ? 'waits' : undefined
    },
    { message: 'the operation waits for a lock, or ends' },
  )
}
