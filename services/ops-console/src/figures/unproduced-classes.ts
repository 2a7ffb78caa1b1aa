import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { Db } from '@despatch/store/database'
import { named, readyJobs } from '@despatch/store/print-run/waiting-groups'
import { sql } from 'kysely'
import { listUnroutableGroups } from './unroutable-groups.ts'
import { countedMax } from './waiting-work.ts'

/** Letters that no site could take, of a class that no enabled site produces. */
export type UnproducedClass = {
  despatchMethod: PrintRunDespatchMethod
  count: number
  oldestSeconds: number
}

/** Reads them from the groups that no site can take, up to `countedMax`. The classes are in the order of their names. */
export async function readUnproducedClasses(db: Db): Promise<UnproducedClass[]> {
  const { at, groups } = await listUnroutableGroups(db)
  const { rows } = await sql<UnproducedClass>`
    select letter."despatchMethod", count(*) as count,
      extract(epoch from now() - min(letter.since))::double precision as "oldestSeconds"
    from (
      select reading.despatch_method as "despatchMethod", ready.since
      from ${named(groups)}
      cross join lateral (${readyJobs('reading', at, sql`job.updated_at as since`)} limit ${countedMax}) ready
      limit ${countedMax}) letter
    where not exists (
      select from print_site site where site.enabled and site.capabilities -> 'despatchMethods' ? letter."despatchMethod")
    group by 1 order by 1`.execute(db)
  return rows
}
