import { renderSite } from '@despatch/contracts/print-fulfilment/site'
import { listCapabilities as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listSiteCapabilities } from '@despatch/store/provider/capabilities'
import { providerOf } from '../provider-of.ts'

/** GET /capabilities: lists the provider's sites, and what the provider reported about them. */
export function listCapabilities(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const sites = await listSiteCapabilities(db, providerOf(request.caller))
      return { sites: sites.map(renderSite) }
    },
  })
}
