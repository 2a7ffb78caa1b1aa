import type { Database } from '@despatch/store/database'
import type { LoadFigures } from './load-record-set.ts'

/** Describes how long the import took and how much disk it uses. */
export async function describeSet(
  { pool }: Database,
  { setId, rows, loadSeconds, publishSeconds }: LoadFigures,
): Promise<string[]> {
  const search = await sizesOf(pool, `driver_search_s${setId}`)
  const record = await sizesOf(pool, `driver_record_s${setId}`)
  const { rows: counts } = await pool.query<{ names: string }>(
    `select count(*) as names from driver_search_s${setId}`,
  )
  return [
    `import: ${whole(rows / loadSeconds)} drivers/s checked against earlier ones and copied, ${whole(publishSeconds)} s to index and publish`,
    `search: ${whole(Number(counts[0]?.names))} names, table ${mebibytes(search.table)}, indexes ${mebibytes(search.indexes)} (${(search.indexes / search.table).toFixed(2)} of the table): ${search.each}`,
    `records: table ${mebibytes(record.table)}, index ${mebibytes(record.indexes)}`,
  ]
}

type Sizes = { table: number; indexes: number; each: string }

async function sizesOf(pool: Database['pool'], table: string): Promise<Sizes> {
  const { rows } = await pool.query<{ name: string; bytes: number; table_bytes: number }>(
    `select relname as name, pg_relation_size(indexrelid)::float8 as bytes,
       pg_table_size(indrelid)::float8 as table_bytes
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = $1::regclass order by bytes desc`,
    [table],
  )
  return {
    table: rows[0]?.table_bytes ?? Number.NaN,
    indexes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    each: rows.map(({ name, bytes }) => `${name} ${mebibytes(bytes)}`).join(', '),
  }
}

function mebibytes(bytes: number): string {
  return `${whole(bytes / 1024 / 1024)} MiB`
}

function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en-GB')
}
