import { londonDateOf } from '@despatch/domain/calendar/london'
import type { RoutableSite } from '@despatch/domain/print-run/routing'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { routedOn, siteKey } from './routed-today.ts'

/** Key of the advisory lock for gathering print jobs into runs. */
const gatheringLock = 0x70_72_75_6e
/** Key of the advisory lock for rerouting. */
const reroutingLock = 0x70_72_72_72

/**
 * Locks the gathering of print runs until the transaction ends and returns the database's time. Returns undefined if
 * another process has the lock.
 */
export function lockGathering(tx: Tx): Promise<Date | undefined> {
  return tryLock(tx, gatheringLock)
}

/**
 * Locks rerouting until the transaction ends and returns the database's time. Returns undefined if another process has
 * the lock.
 */
export function lockRerouting(tx: Tx): Promise<Date | undefined> {
  return tryLock(tx, reroutingLock)
}

async function tryLock(tx: Tx, lock: number): Promise<Date | undefined> {
  const { rows } = await sql<{ isLocked: boolean; at: Date }>`
    select pg_try_advisory_xact_lock(${lock}) as "isLocked",
      date_trunc('milliseconds', clock_timestamp()) as at`.execute(tx)
  const { isLocked, at } = rows[0]!
  return isLocked ? at : undefined
}

/** Lists every site as routing sees it at `at`, in a stable order. */
export async function listRoutableSites(db: Db, at: Date): Promise<RoutableSite[]> {
  return db
    .selectFrom('print_site as site')
    .innerJoin('provider', 'provider.id', 'site.provider_id')
    .leftJoin(routedOn(londonDateOf(at)).as('routed'), (join) =>
      join.on('routed.site', '=', siteKey('site')),
    )
    .select([
      'site.provider_id as providerId',
      'site.print_location as printLocation',
      'site.enabled',
      'site.share',
      'site.capabilities',
      'site.routing_credit as credit',
      sql<number>`coalesce(routed.documents, 0)`.as('routedToday'),
      'provider.last_seen_at as lastSeenAt',
      'provider.away_seconds_max as awaySecondsMax',
    ])
    .orderBy('provider.created_at')
    .orderBy('site.provider_id')
    .orderBy('site.created_at')
    .orderBy('site.print_location')
    .execute()
}

/** Saves the routing credits of sites. The caller has the gathering lock. */
export async function updateCredits(
  tx: Tx,
  sites: readonly Pick<RoutableSite, 'providerId' | 'printLocation' | 'credit'>[],
): Promise<void> {
  if (sites.length === 0) return
  await sql`
    update print_site site set routing_credit = row.credit
    from unnest(${sites.map(({ providerId }) => providerId)}::text[],
      ${sites.map(({ printLocation }) => printLocation)}::text[],
      ${sites.map(({ credit }) => credit)}::double precision[]) as row (provider_id, print_location, credit)
    where site.provider_id = row.provider_id and site.print_location = row.print_location`.execute(
    tx,
  )
}
