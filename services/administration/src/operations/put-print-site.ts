import { renderPrintSite } from '@despatch/contracts/administration/provider'
import { putPrintSite as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireProvider } from '../provider/providers.ts'
import { lockSite, type SiteName, type SiteTerms, saveSiteTerms } from '../provider/site-terms.ts'

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
  await saveSiteTerms(tx, name, terms, { known, actor })
  const site = await lockSite(tx, name)
  if (!site) throw new Error(`Site ${name.printLocation} is missing after it was saved`)
  return { site, isFresh: !known }
}
