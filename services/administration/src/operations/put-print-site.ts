import { type ListedPrintSite, renderPrintSite } from '@despatch/contracts/administration/provider'
import { putPrintSite as operation } from '@despatch/contracts/administration/provider-operations'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireProvider, selectSites, toListedSite } from '../provider/providers.ts'

type SiteName = { providerId: string; printLocation: string }
type SiteTerms = {
  enabled: boolean
  share: number
  reprintsFreeMax: number
  reprintsFreePercent: number
}

/** PUT /providers/{providerId}/sites/{printLocation}: sets how much work a site gets. */
export function putPrintSite(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, body, caller }, reply) => {
      await requireProvider(db, params.providerId)
      const { site, isFresh } = await transact(db, (tx) => save(tx, params, body, actorOf(caller)))
      return reply.code(isFresh ? 201 : 200).send(renderPrintSite(site))
    },
  })
}

async function save(tx: Db, name: SiteName, terms: SiteTerms, actor: string) {
  const known = await lockSite(tx, name)
  if (!known || !isSame(known, terms)) {
    await saveSite(tx, name, terms)
    await insertAuditEvent(tx, { actor, action: 'print-site.saved', detail: { ...name, ...terms } })
  }
  const site = await lockSite(tx, name)
  if (!site) throw new Error(`Site ${name.printLocation} is missing after it was saved`)
  return { site, isFresh: !known }
}

function isSame(known: ListedPrintSite, terms: SiteTerms): boolean {
  return (
    known.enabled === terms.enabled &&
    known.share === terms.share &&
    known.reprintsFreeMax === terms.reprintsFreeMax &&
    known.reprintsFreePercent === terms.reprintsFreePercent
  )
}

/** Reads the site and locks it until the transaction ends. */
async function lockSite(
  tx: Db,
  { providerId, printLocation }: SiteName,
): Promise<ListedPrintSite | undefined> {
  const site = await selectSites(tx)
    .where('provider_id', '=', providerId)
    .where('print_location', '=', printLocation)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return site && toListedSite(site)
}

/** Creates the site, or updates its terms. A new site is assumed to be able to print everything. */
async function saveSite(
  tx: Db,
  { providerId, printLocation }: SiteName,
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
