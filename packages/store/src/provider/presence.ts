import { isAbsent } from '@despatch/domain/print-run/posting-on-behalf'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { repeatLost } from '../lost-reply.ts'
import type { PrintRunRef } from '../print-run/lock.ts'
import type { ProviderExchange } from '../schema-fulfilment.ts'

export type ProviderIdentity = {
  providerId: string
  name: string
  exchange: ProviderExchange
  printLocations: string[]
  /** By the database's clock. */
  serverTime: Date
}

/** Finds a provider with its sites and the database's time. Returns undefined if the provider does not exist. */
export async function findProviderIdentity(
  db: Db,
  providerId: string,
): Promise<ProviderIdentity | undefined> {
  const { rows } = await sql<ProviderIdentity>`
    select id as "providerId", name, exchange, clock_timestamp() as "serverTime", array(
        select print_location from print_site where provider_id = provider.id order by print_location
      ) as "printLocations"
    from provider where id = ${providerId}`.execute(db)
  return rows[0]
}

/** Records that the provider is present. Returns the time by the database's clock. */
export async function updateLastSeen(db: Db, providerId: string): Promise<Date> {
  const update = sql<{ seenAt: Date }>`
    update provider set last_seen_at = clock_timestamp() where id = ${providerId}
    returning last_seen_at as "seenAt"`
  const { rows } = await repeatLost(() => update.execute(db))
  if (!rows[0]) throw new Error(`There is no provider ${providerId}`)
  return rows[0].seenAt
}

/** The precision, in seconds, of the last-seen time of a provider that only polls for work. */
const seenSeconds = 10

/** Records that the provider is present, unless that was recorded seconds ago: it polls far more often than matters. */
export async function markProviderSeen(db: Db, providerId: string): Promise<void> {
  const update = sql`
    update provider set last_seen_at = clock_timestamp()
    where id = ${providerId}
      and (last_seen_at is null or last_seen_at < clock_timestamp() - ${seenSeconds}::integer * interval '1 second')`
  await repeatLost(() => update.execute(db))
}

/**
 * Finds when the provider of a claimed run was last heard from, and whether that is too long ago. Polling for work
 * counts, and so do reports on the run.
 */
export async function findPresence(
  db: Db,
  { providerId, batchNumber }: PrintRunRef,
): Promise<{ lastHeardAt: Date | null; isProviderAbsent: boolean }> {
  const { rows } = await sql<{ lastHeardAt: Date | null; awaySecondsMax: number | null; at: Date }>`
    select away_seconds_max as "awaySecondsMax", clock_timestamp() as at, greatest(
        last_seen_at,
        (select greatest(claimed_at, acknowledged_at) from print_run where batch_number = ${batchNumber}),
        (select max(received_at) from print_run_event where batch_number = ${batchNumber}),
        (select max(created_at) from posting join posting_run on posting_run.posting_id = posting.id
          where posting_run.batch_number = ${batchNumber} and posting.confirmed_at is null)
      ) as "lastHeardAt"
    from provider where id = ${providerId}`.execute(db)
  const { lastHeardAt, awaySecondsMax, at } = rows[0]!
  return { lastHeardAt, isProviderAbsent: isAbsent({ lastHeardAt, awaySecondsMax }, at) }
}
