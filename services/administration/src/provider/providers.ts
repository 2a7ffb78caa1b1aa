import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { routedOn, siteKey, today } from '@despatch/store/provider/routed-today'
import type { ProviderExchange } from '@despatch/store/schema-fulfilment'
import { sql } from 'kysely'

/** What operators agree with a provider. */
export type ProviderTerms = {
  name: string
  exchange: ProviderExchange
  /** After this many seconds without contact, its unclaimed work goes to other sites. */
  awaySecondsMax: number | null
}

/** Returns a provider with its sites. Throws a Problem if there is none. */
export async function requireProvider(db: Db, providerId: string) {
  const provider = await selectProviders(db).where('id', '=', providerId).executeTakeFirst()
  if (!provider) throw providerNotFound(providerId)
  const sites = await selectSites(db)
    .where('provider_id', '=', providerId)
    .orderBy('print_location')
    .execute()
  return { ...provider, sites }
}

/** Returns the Problem of an unknown provider. */
export function providerNotFound(providerId: string): Problem {
  return new Problem('provider-not-found', `There is no print provider ${providerId}`)
}

/** Returns the Problem of an unknown site. */
export function siteNotFound(site: { providerId: string; printLocation: string }): Problem {
  const { providerId, printLocation } = site
  return new Problem(
    'print-site-not-found',
    `Print provider ${providerId} has no site ${printLocation}`,
  )
}

/** Returns a query for providers, without their sites. */
export function selectProviders(db: Db) {
  return db
    .selectFrom('provider')
    .select([
      'id as providerId',
      'name',
      'exchange',
      'away_seconds_max as awaySecondsMax',
      'last_seen_at as lastSeenAt',
    ])
}

/** Returns a query for sites. */
export function selectSites(db: Db) {
  return db
    .selectFrom('print_site')
    .leftJoin(routedOn(today).as('routed'), (join) =>
      join.on('routed.site', '=', siteKey('print_site')),
    )
    .select([
      'provider_id as providerId',
      'print_location as printLocation',
      'enabled',
      'share',
      'capabilities',
      'reprints_free_max as reprintsFreeMax',
      'reprints_free_percent as reprintsFreePercent',
      sql<number>`coalesce(routed.documents, 0)`.as('routedToday'),
    ])
}

/** Returns the terms as columns. */
export function providerColumns({ name, exchange, awaySecondsMax }: ProviderTerms) {
  return { name, exchange, away_seconds_max: awaySecondsMax }
}
