import { printSiteNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { parseCapabilities } from '@despatch/contracts/print-fulfilment/site'
import { putCapabilities as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'
import { listSites, type Site } from './list-capabilities.ts'

/** PUT /capabilities/{printLocation}: sets what the site can print from now on. */
export function putCapabilities(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { printLocation } = request.params
      const providerId = providerOf(request.caller)
      const capabilities = parseCapabilities(request.body)
      const site = await updateSite(db, { providerId, printLocation, capabilities })
      if (!site) throw printSiteNotFound(printLocation)
      addToLogLine(request, { printLocation })
      return site
    },
  })
}

/**
 * Saves the capabilities of a site. A change is audited; saving the same capabilities again is not a change. Returns
 * undefined if the provider has no such site.
 */
async function updateSite(
  db: Db,
  update: { providerId: string; printLocation: string; capabilities: Capabilities },
): Promise<Site | undefined> {
  const { providerId, printLocation } = update
  const capabilities = JSON.stringify(update.capabilities)
  return transact(db, async (tx) => {
    const { rows: changed } = await sql`
      update print_site set capabilities = ${capabilities}::jsonb
      where provider_id = ${providerId} and print_location = ${printLocation}
        and capabilities <> ${capabilities}::jsonb
      returning print_location`.execute(tx)
    if (changed.length > 0) {
      await insertAuditEvent(tx, {
        actor: `provider:${providerId}`,
        action: 'print-site.capabilities',
        detail: { printLocation },
      })
    }
    const sites = await listSites(tx, providerId)
    return sites.find((site) => site.printLocation === printLocation)
  })
}
