import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { Db } from '@despatch/store/database'
import { despatchMethodOf } from '@despatch/store/print-run/waiting-letters'
import { sql } from 'kysely'
import { isUnroutable } from './printing.ts'
import { countedMax } from './waiting-work.ts'

/** Letters that no site could take, of a class that no enabled site produces. */
export type UnproducedClass = {
  despatchMethod: PrintRunDespatchMethod
  count: number
  oldestSeconds: number
}

/** Reads them from those that have waited longest, up to `countedMax`. The classes are in the order of their names. */
export async function readUnproducedClasses(db: Db): Promise<UnproducedClass[]> {
  const { rows } = await sql<UnproducedClass>`
    select letter."despatchMethod", count(*) as count,
      extract(epoch from now() - min(letter.since))::double precision as "oldestSeconds"
    from (
      select ${despatchMethodOf} as "despatchMethod", job.updated_at as since from print_job job
      where ${isUnroutable} order by job.updated_at limit ${countedMax}) letter
    where not exists (
      select from print_site site where site.enabled and site.capabilities -> 'despatchMethods' ? letter."despatchMethod")
    group by 1 order by 1`.execute(db)
  return rows
}
