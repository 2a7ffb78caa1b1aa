import type { ListedPrintSite, ListedProvider } from '@despatch/contracts/administration/provider'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import type { Db } from '@despatch/store/database'
import type { ProviderExchange } from '@despatch/store/schema-fulfilment'
import { type SqlBool, sql } from 'kysely'

export type ProviderTerms = {
  name: string
  exchange: ProviderExchange
  /** After this many seconds without contact, its unclaimed work goes to other sites. */
  awaySecondsMax: number | null
}

export type SiteTerms = {
  enabled: boolean
  share: number
  reprintsFreeMax: number
  reprintsFreePercent: number
}

type ProviderAndSite = { providerId: string; printLocation: string }

/** Lists every print provider by id, with its sites by name. */
export async function listProviders(db: Db): Promise<ListedProvider[]> {
  const [providers, sites] = await Promise.all([
    selectProviders(db).orderBy('id').execute(),
    selectSites(db).orderBy('print_location').execute(),
  ])
  return providers.map((provider) => ({
    ...provider,
    sites: sites.filter((site) => site.providerId === provider.id).map(toListedSite),
  }))
}

export async function findProvider(db: Db, id: string): Promise<ListedProvider | undefined> {
  const provider = await selectProviders(db).where('id', '=', id).executeTakeFirst()
  if (!provider) return undefined
  const sites = await selectSites(db)
    .where('provider_id', '=', id)
    .orderBy('print_location')
    .execute()
  return { ...provider, sites: sites.map(toListedSite) }
}

/** Creates a provider whose sites receive no work yet. Returns false if the id is taken. */
export async function createProvider(
  tx: Db,
  id: string,
  terms: ProviderTerms,
  printLocations: readonly string[],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('provider')
    .values({ id, ...providerColumns(terms) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return false
  const capabilities = JSON.stringify(unrestrictedCapabilities)
  const site = { provider_id: id, enabled: false, capabilities }
  await tx
    .insertInto('print_site')
    .values(printLocations.map((printLocation) => ({ ...site, print_location: printLocation })))
    .execute()
  return true
}

/** Reads the provider's terms and locks them until the transaction ends. */
export async function lockProvider(tx: Db, id: string): Promise<ProviderTerms | undefined> {
  return tx
    .selectFrom('provider')
    .select(['name', 'exchange', 'away_seconds_max as awaySecondsMax'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function updateProvider(tx: Db, id: string, terms: ProviderTerms): Promise<void> {
  await tx.updateTable('provider').set(providerColumns(terms)).where('id', '=', id).execute()
}

/** Reads the site and locks it until the transaction ends. */
export async function lockSite(
  tx: Db,
  { providerId, printLocation }: ProviderAndSite,
): Promise<ListedPrintSite | undefined> {
  const site = await selectSites(tx)
    .where('provider_id', '=', providerId)
    .where('print_location', '=', printLocation)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return site && toListedSite(site)
}

/** Creates the site, or updates its terms. A new site is assumed to be able to print everything. */
export async function saveSite(
  tx: Db,
  { providerId, printLocation }: ProviderAndSite,
  terms: SiteTerms,
): Promise<void> {
  const columns = {
    enabled: terms.enabled,
    share: terms.share,
    reprints_free_max: terms.reprintsFreeMax,
    reprints_free_percent: terms.reprintsFreePercent,
  }
  await tx
    .insertInto('print_site')
    .values({
      provider_id: providerId,
      print_location: printLocation,
      capabilities: JSON.stringify(unrestrictedCapabilities),
      ...columns,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'print_location']).doUpdateSet(columns),
    )
    .execute()
}

function selectProviders(db: Db) {
  return db
    .selectFrom('provider')
    .select([
      'id',
      'name',
      'exchange',
      'away_seconds_max as awaySecondsMax',
      'last_seen_at as lastSeenAt',
    ])
}

function selectSites(db: Db) {
  const isOfToday = sql<SqlBool>`routed_on = (now() at time zone 'Europe/London')::date`
  return db
    .selectFrom('print_site')
    .select([
      'provider_id as providerId',
      'print_location as printLocation',
      'enabled',
      'share',
      'capabilities',
      'reprints_free_max as reprintsFreeMax',
      'reprints_free_percent as reprintsFreePercent',
      sql<number>`case when ${isOfToday} then routed_documents else 0 end`.as('routedToday'),
    ])
}

function toListedSite({
  providerId: _,
  ...site
}: ListedPrintSite & { providerId: string }): ListedPrintSite {
  return site
}

function providerColumns({ name, exchange, awaySecondsMax }: ProviderTerms) {
  return { name, exchange, away_seconds_max: awaySecondsMax }
}
