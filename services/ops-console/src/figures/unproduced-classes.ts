import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import { createRouter } from '@despatch/domain/print-run/routing'
import { isUnroutable, type WaitingGroup } from '@despatch/domain/print-run/waiting-groups'
import type { Db } from '@despatch/store/database'
import { listWaitingGroups, named, readyJobs } from '@despatch/store/print-run/waiting-groups'
import { listRoutableSites } from '@despatch/store/provider/routing'
import { sql } from 'kysely'
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

/** Lists the groups of waiting print jobs that no site can take now, as gathering decides it, and when that was. */
export async function listUnroutableGroups(db: Db): Promise<{ at: Date; groups: WaitingGroup[] }> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const { at } = rows[0]!
  const [sites, groups] = await Promise.all([listRoutableSites(db, at), listWaitingGroups(db, at)])
  const router = createRouter(sites, at)
  return { at, groups: groups.filter((group) => isUnroutable(group, router)) }
}
