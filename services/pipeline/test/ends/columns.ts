import type { Database } from '@despatch/store/database'

export type Column = { name: string; type: string; isGenerated: boolean }

/** Returns the columns of each table, from the catalogue of the database. Those of partitions are their table's. */
export async function listColumns(
  pool: Database['pool'],
): Promise<{ table: string; columns: Column[] }[]> {
  const { rows } = await pool.query<{ table: string; columns: Column[] }>(
    `select relname as table, json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null),
       'isGenerated', attgenerated <> '') order by attname) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and attnum > 0 and not attisdropped
     group by relname order by relname`,
  )
  return rows
}
