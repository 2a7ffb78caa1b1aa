import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/** Counts the queries that this process sends to PostgreSQL, until the test ends. */
export function countQueries() {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  return { count: () => query.mock.calls.length, restart: () => query.mockClear() }
}
