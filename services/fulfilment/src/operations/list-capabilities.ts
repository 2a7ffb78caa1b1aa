import { listCapabilities as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

/** GET /capabilities: lists the provider's sites, and what the provider reported about them. */
export function listCapabilities(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      return { sites: await listSites(db, providerOf(request.caller)) }
    },
  })
}

export type Site = {
  printLocation: string
  enabled: boolean
  share: number
  capabilities: Capabilities
}

/** Lists the sites of a provider, by name. */
export async function listSites(db: Db, providerId: string): Promise<Site[]> {
  const { rows } = await sql<Site>`
    select print_location as "printLocation", enabled, share, capabilities
    from print_site where provider_id = ${providerId} order by print_location`.execute(db)
  return rows
}
