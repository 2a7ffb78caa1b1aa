import type pg from 'pg'
import type { Figure } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { timed } from '../statistics.ts'
import { told } from './fill-system.ts'

const lettersPerUpdate = 10_000
const mebibyte = 1024 * 1024

type Updated = { updated: number; last: string }
type State = { dead: number; autovacuums: number; tableBytes: number; indexBytes: number }

/**
 * Updates the newest letters again and again, as their steps do: each update changes a column that is in an index. Then
 * vacuums the table, whether or not autovacuum did so before.
 */
export async function updateLetters(
  pool: pg.Pool,
  { updates, live, ground }: { updates: number; live: number; ground: Ground },
): Promise<Figure[]> {
  const before = await readState(pool)
  let done = 0
  let left = live
  let onwards: string | null = null
  const [seconds] = await timed(async () => {
    while (done < updates) {
      ground.signal.throwIfAborted()
      if (done % (10 * lettersPerUpdate) === 0) ground.tell(`updating letters: ${told(done)}`)
      const { rows }: pg.QueryResult<Updated> = await pool.query(
        `with chosen as (
           select key from print_job where $1::uuid is null or key < $1 order by key desc limit $2
         ), updated as (
           update print_job set updated_at = clock_timestamp(), step_starts = step_starts + 1
           from chosen where print_job.key = chosen.key returning print_job.key
         )
         select count(*) as updated, min(key::text) as last from updated`,
        [onwards, Math.min(lettersPerUpdate, left, updates - done)],
      )
      const { updated, last } = rows[0]!
      done += updated
      left -= updated
      onwards = left > 0 ? last : null
      if (left === 0) left = live
    }
  })
  await pool.query('select pg_stat_force_next_flush()')
  const after = await readState(pool)
  ground.tell('vacuum')
  const [vacuumSeconds] = await timed(() => pool.query('vacuum print_job'))
  const vacuumed = await readState(pool)
  const mebibytes = (bytes: number) => [bytes / mebibyte]
  return [
    { name: 'updates/s', ours: [done / seconds] },
    { name: 'autovacuums meanwhile', ours: [after.autovacuums - before.autovacuums] },
    { name: 'dead row versions after the updates', ours: [after.dead] },
    { name: 'dead row versions after a vacuum', ours: [vacuumed.dead] },
    { name: 'vacuum, s', ours: [vacuumSeconds] },
    { name: 'table before, MiB', ours: mebibytes(before.tableBytes) },
    { name: 'table after, MiB', ours: mebibytes(vacuumed.tableBytes) },
    { name: 'indexes before, MiB', ours: mebibytes(before.indexBytes) },
    { name: 'indexes after, MiB', ours: mebibytes(vacuumed.indexBytes) },
  ]
}

async function readState(pool: pg.Pool): Promise<State> {
  const { rows } = await pool.query<State>(
    `select n_dead_tup as dead, autovacuum_count as autovacuums, pg_table_size(relid) as "tableBytes",
       pg_indexes_size(relid) as "indexBytes"
     from pg_stat_user_tables where relname = 'print_job' and schemaname = 'public'`,
  )
  return rows[0]!
}
