import type { Database } from '@despatch/store/database'

export type Column = { name: string; type: string; isGenerated: boolean }
type Table = { schema: string; table: string; columns: Column[] }

/** Returns the columns of each table, from the catalogue of the database. Those of partitions are their table's. */
export async function listColumns(
  pool: Database['pool'],
  schemas: readonly string[] = ['public'],
): Promise<Table[]> {
  const { rows } = await pool.query<Table>(
    `select nspname as schema, relname as table, json_agg(json_build_object('name', attname,
       'type', format_type(atttypid, null), 'isGenerated', attgenerated <> '') order by attname) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = any ($1) and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
     group by nspname, relname order by nspname, relname`,
    [schemas],
  )
  return rows
}
