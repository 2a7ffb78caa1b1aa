import type { RoutableSite, RoutingState } from '@despatch/domain/print-run/routing'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

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

/** Lists every site as routing sees it, in a stable order. */
export async function listRoutableSites(db: Db): Promise<RoutableSite[]> {
  return db
    .selectFrom('print_site as site')
    .innerJoin('provider', 'provider.id', 'site.provider_id')
    .select([
      'site.provider_id as providerId',
      'site.print_location as printLocation',
      'site.enabled',
      'site.share',
      'site.capabilities',
      'site.routing_credit as credit',
      'site.routed_on as routedOn',
      'site.routed_documents as routedDocuments',
      'provider.last_seen_at as lastSeenAt',
      'provider.away_seconds_max as awaySecondsMax',
    ])
    .orderBy('provider.created_at')
    .orderBy('site.provider_id')
    .orderBy('site.created_at')
    .orderBy('site.print_location')
    .execute()
}

/** Saves the routing credits and counts of sites. The caller has the gathering lock. */
export async function updateRouting(
  tx: Tx,
  sites: readonly (RoutingState & { providerId: string; printLocation: string })[],
): Promise<void> {
  if (sites.length === 0) return
  const rows = sites.map(({ providerId, printLocation, credit, routedOn, routedDocuments }) => ({
    providerId,
    printLocation,
    credit,
    routedOn,
    routedDocuments,
  }))
  await sql`
    update print_site site set
      routing_credit = row.credit, routed_on = row."routedOn", routed_documents = row."routedDocuments"
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      "providerId" text, "printLocation" text, credit double precision, "routedOn" date, "routedDocuments" integer)
    where site.provider_id = row."providerId" and site.print_location = row."printLocation"`.execute(
    tx,
  )
}
