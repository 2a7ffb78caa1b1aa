import * as operations from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { listSerialAccounts } from '@despatch/store/serial-stock/serial-stock'
import { actorOf } from '../operator/access.ts'
import { requireProvider, selectProviders, selectSites } from '../provider/providers.ts'
import { lockSite, type SiteName, type SiteTerms, saveSiteTerms } from '../provider/site-terms.ts'

/** GET /providers: lists the providers with their sites and shares of the work. */
export function listProviders(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listProviders,
    handler: async () => ({ providers: await listWithSites(db) }),
  })
}

/** Lists every print provider by id, with its sites by name. */
async function listWithSites(db: Db) {
  const [providers, sites] = await Promise.all([
    selectProviders(db).orderBy('id').execute(),
    selectSites(db).orderBy('print_location').execute(),
  ])
  return providers.map((provider) => ({
    ...provider,
    sites: sites.filter((site) => site.providerId === provider.providerId),
  }))
}

/**
 * GET /serial-stock: lists, by provider and job type, how many of the issued numbers are used, spoiled and in stock.
 */
export function listSerialStock(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listSerialStock,
    handler: async ({ query }) => ({ accounts: await listSerialAccounts(db, query) }),
  })
}

/** PUT /providers/{providerId}/sites/{printLocation}: sets how much work a site gets. */
export function putPrintSite(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.putPrintSite,
    handler: async ({ params, body, caller }, reply) => {
      await requireProvider(db, params.providerId)
      const { site, isFresh } = await transact(db, (tx) => save(tx, params, body, actorOf(caller)))
      return reply.code(isFresh ? 201 : 200).send(site)
    },
  })
}

async function save(tx: Db, name: SiteName, terms: SiteTerms, actor: string) {
  const known = await lockSite(tx, name)
  await saveSiteTerms(tx, name, terms, { known, actor })
  const site = await lockSite(tx, name)
  if (!site) throw new Error(`Site ${name.printLocation} is missing after it was saved`)
  return { site, isFresh: !known }
}
