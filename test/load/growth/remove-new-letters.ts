import type pg from 'pg'
import { withoutTriggers } from './fill-system.ts'

const tables = [
  'print_job',
  'print_job_event',
  'print_job_file',
  'print_run',
  'print_run_document',
  'callback',
  'callback_attempt',
  'letter_waiting',
  'doomed_object',
]

/** Removes the letters and print runs that were created since then, so that a system keeps its size. */
export async function removeNewLetters(pool: pg.Pool, since: Date): Promise<void> {
  await withoutTriggers(pool, async (client) => {
    await client.query(
      `create temporary table gone as select key from print_job where created_at >= '${since.toISOString()}'`,
    )
    await client.query('analyze gone')
    const ofGone = 'in (select key from gone)'
    const statements = [
      `delete from callback_attempt where callback_id in (select id from callback where print_job_key ${ofGone})`,
      `delete from letter_waiting where subject ${ofGone}`,
      ...['callback', 'print_job_event', 'print_job_file', 'print_run_document'].map(
        (table) => `delete from ${table} where print_job_key ${ofGone}`,
      ),
      `delete from print_run_claim where created_at >= '${since.toISOString()}'`,
      `delete from print_run where opened_at >= '${since.toISOString()}'`,
      `delete from print_job where key ${ofGone}`,
      'delete from doomed_object',
      'drop table gone',
      // otherwise the deleted rows are counted after the vacuum, and as dead
      'select pg_stat_force_next_flush()',
      `vacuum analyze ${tables.join(', ')}`,
    ]
    for (const statement of statements) await client.query(statement)
  })
}
