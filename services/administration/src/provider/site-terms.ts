import type { PrintSiteResponse } from '@despatch/contracts/administration/provider'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { selectSites } from './providers.ts'

export type SiteName = { providerId: string; printLocation: string }

/** How much work a site gets. */
export type SiteTerms = Pick<
  PrintSiteResponse,
  'enabled' | 'share' | 'reprintsFreeMax' | 'reprintsFreePercent'
>

/** Reads the site and locks it until the transaction ends. */
export function lockSite(tx: Db, { providerId, printLocation }: SiteName) {
  return selectSites(tx)
    .where('provider_id', '=', providerId)
    .where('print_location', '=', printLocation)
    .forNoKeyUpdate('print_site')
    .executeTakeFirst()
}

/**
 * Creates the site or updates its terms, and records who did so, unless it has these terms. `known` is the site as it is
 * locked. A new site is assumed to be able to print everything.
 */
export async function saveSiteTerms(
  tx: Db,
  { providerId, printLocation }: SiteName,
  terms: SiteTerms,
  { known, actor }: { known: SiteTerms | undefined; actor: string },
): Promise<void> {
  const { enabled, share, reprintsFreeMax, reprintsFreePercent } = terms
  if (known && isSame(known, terms)) return
  const columns = {
    enabled,
    share,
    reprints_free_max: reprintsFreeMax,
    reprints_free_percent: reprintsFreePercent,
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
  const detail = {
    providerId,
    printLocation,
    enabled,
    share,
    reprintsFreeMax,
    reprintsFreePercent,
  }
  await insertAuditEvent(tx, { actor, action: 'print-site.saved', detail })
}

function isSame(known: SiteTerms, terms: SiteTerms): boolean {
  return (
    known.enabled === terms.enabled &&
    known.share === terms.share &&
    known.reprintsFreeMax === terms.reprintsFreeMax &&
    known.reprintsFreePercent === terms.reprintsFreePercent
  )
}
