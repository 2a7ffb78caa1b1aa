import { cloneDatabase } from '@despatch/testing/clone-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database.ts'

const clone = await shared(cloneDatabase())
const { pool } = await shared(openDatabase(clone.url, { name: 'test', connectionsMax: 1 }))

/** The tables whose dead rows a pass of the pipeline or of callbacks reads. */
const hotTables = [
  ...['callback', 'count_change', 'doomed_object', 'print_job', 'print_run_document'],
  ...[
    'unstored_document',
    'volume_change',
    'letter_batch',
    'letter_later',
    'letter_spent',
    'letter_waiting',
  ],
]

test('a hot table of ten million rows is vacuumed after at most 2 % and 10,000 dead rows', async () => {
  const { rows } = await pool.query<{ name: string; dead: number }>(
    `select relname as name, ${optionOf('threshold', 50)} + ${optionOf('scale_factor', 0.2)} * 10000000 as dead
     from pg_class where relname = any ($1) and relnamespace = 'public'::regnamespace`,
    [hotTables],
  )

  expect(rows.map(({ name }) => name).sort()).toEqual(hotTables.toSorted())
  expect(rows.filter(({ dead }) => dead > 210_000)).toEqual([])
})

/** SQL for a setting of the table, or PostgreSQL's default. */
function optionOf(name: string, byDefault: number): string {
  return `coalesce((select option_value::double precision from pg_options_to_table(reloptions)
    where option_name = 'autovacuum_vacuum_${name}'), ${byDefault})`
}
