import { createRouter } from '@despatch/domain/print-run/routing'
import { isUnroutable, type WaitingGroup } from '@despatch/domain/print-run/waiting-groups'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { listRoutableSites } from '../provider/routing.ts'
import { listWaitingGroups } from './waiting-groups.ts'

/** Lists the groups of waiting print jobs that no site can take now, as gathering decides it, and when that was. */
export async function listUnroutableGroups(db: Db): Promise<{ at: Date; groups: WaitingGroup[] }> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const { at } = rows[0]!
  const [sites, groups] = await Promise.all([listRoutableSites(db, at), listWaitingGroups(db, at)])
  const router = createRouter(sites, at)
  return { at, groups: groups.filter((group) => isUnroutable(group, router)) }
}
