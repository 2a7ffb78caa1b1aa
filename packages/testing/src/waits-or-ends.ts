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

/**
 * Begins an operation while another transaction has executed a statement. Returns whether the operation waits for that
 * transaction, which then commits, and its result. `meanwhile` may execute more before the commit, with the same values.
 */
export async function beside<Result>(
  pool: pg.Pool,
  { statement, values }: { statement: string; values: unknown[] },
  operation: () => Promise<Result>,
  meanwhile?: (query: (text: string) => Promise<unknown>) => Promise<unknown>,
): Promise<{ first: 'waits' | 'ends'; result: Result }> {
  const other = await pool.connect()
  await other.query('begin')
  await other.query(statement, values)
  const result = operation()
  const first = await waitsOrEnds(pool, result)
  await meanwhile?.((text) => other.query(text, values))
  await other.query('commit')
  other.release()
  return { first, result: await result }
}
