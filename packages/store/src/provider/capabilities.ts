import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import { sql } from 'kysely'
import { insertAuditEvent } from '../access/audit-events.ts'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'

export type SiteCapabilities = {
  printLocation: string
  enabled: boolean
  share: number
  capabilities: Capabilities
}

/** Lists the sites of a provider, by name. */
export async function listSiteCapabilities(
  db: Db,
  providerId: string,
): Promise<SiteCapabilities[]> {
  const { rows } = await sql<SiteCapabilities>`
    select print_location as "printLocation", enabled, share, capabilities
    from print_site where provider_id = ${providerId} order by print_location`.execute(db)
  return rows
}

/**
 * Saves the capabilities of a site. A change is audited; saving the same capabilities again is not a change. Returns
 * undefined if the provider has no such site.
 */
export async function updateSiteCapabilities(
  db: Db,
  update: { providerId: string; printLocation: string; capabilities: Capabilities },
): Promise<SiteCapabilities | undefined> {
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
    const sites = await listSiteCapabilities(tx, providerId)
    return sites.find((site) => site.printLocation === printLocation)
  })
}
