import { renderSite, type StoredSite } from '@despatch/contracts/print-fulfilment/site'
import { listCapabilities as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

/** GET /capabilities: lists the provider's sites, and what the provider reported about them. */
export function listCapabilities(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const sites = await listSites(db, providerOf(request.caller))
      return { sites: sites.map(renderSite) }
    },
  })
}

/** Lists the sites of a provider, by name. */
export async function listSites(db: Db, providerId: string): Promise<StoredSite[]> {
  const { rows } = await sql<StoredSite>`
    select print_location as "printLocation", enabled, share, capabilities
    from print_site where provider_id = ${providerId} order by print_location`.execute(db)
  return rows
}
