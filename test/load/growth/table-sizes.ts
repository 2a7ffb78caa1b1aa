import type pg from 'pg'
import type { Figure } from '../comparison.ts'

export type TableSize = { name: string; tableBytes: number; indexBytes: number }

/** Reads the sizes of all tables, the largest first, and of their indexes. Includes what is stored out of line. */
export async function readTableSizes(pool: pg.Pool): Promise<TableSize[]> {
  const { rows } = await pool.query<TableSize>(
    `select relname as name, pg_table_size(relid) as "tableBytes", pg_indexes_size(relid) as "indexBytes"
     from pg_stat_user_tables where schemaname = 'public' order by pg_total_relation_size(relid) desc`,
  )
  return rows
}

const bytesShownMin = 1

/** Returns bytes per letter of each table and its indexes, from the difference of two systems. */
export function sizeFigures(
  big: readonly TableSize[],
  small: readonly TableSize[],
  letters: number,
): Figure[] {
  const smallSizes = new Map(small.map((size) => [size.name, size]))
  const perLetter = big
    .map(({ name, tableBytes, indexBytes }) => {
      const { tableBytes: table = 0, indexBytes: index = 0 } = smallSizes.get(name) ?? {}
      return { name, table: (tableBytes - table) / letters, index: (indexBytes - index) / letters }
    })
    .filter(({ table, index }) => table + index >= bytesShownMin)
  const sum = (of: 'table' | 'index') => perLetter.reduce((total, size) => total + size[of], 0)
  return [...perLetter, { name: 'all', table: sum('table'), index: sum('index') }].flatMap(
    ({ name, table, index }) => [
      { name: `${name}, bytes per letter`, ours: [table] },
      { name: `${name}, indexes, bytes per letter`, ours: [index] },
    ],
  )
}
