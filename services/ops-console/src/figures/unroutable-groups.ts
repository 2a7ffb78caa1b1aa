import { createRouter } from '@despatch/domain/print-run/routing'
import { isUnroutable, type WaitingGroup } from '@despatch/domain/print-run/waiting-groups'
import type { Db } from '@despatch/store/database'
import { listWaitingGroups } from '@despatch/store/print-run/waiting-groups'
import { listRoutableSites } from '@despatch/store/provider/routing'
import { sql } from 'kysely'

/** Lists the groups of waiting print jobs that no site can take now, as gathering decides it, and when that was. */
export async function listUnroutableGroups(db: Db): Promise<{ at: Date; groups: WaitingGroup[] }> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const { at } = rows[0]!
  const [sites, groups] = await Promise.all([listRoutableSites(db, at), listWaitingGroups(db, at)])
  const router = createRouter(sites, at)
  return { at, groups: groups.filter((group) => isUnroutable(group, router)) }
}
