import { changeShares as operation } from '@despatch/contracts/administration/provider-operations'
import type { SiteShare } from '@despatch/contracts/administration/share-preview'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'
import { siteNotFound } from '../provider/providers.ts'
import { lockSite, saveSiteTerms } from '../provider/site-terms.ts'

/** PUT /print-sites/shares: sets the shares of several sites together, or of none. */
export function changeShares(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }) => {
      refuseRepeated(body.sites)
      return { sites: await transact(db, (tx) => change(tx, body.sites, actorOf(caller))) }
    },
  })
}

/** The sites are locked in one order, so that two such changes do not wait for each other. */
async function change(tx: Db, shares: readonly SiteShare[], actor: string) {
  const changed = []
  for (const wanted of shares.toSorted(byName)) {
    const known = await lockSite(tx, wanted)
    if (!known) throw siteNotFound(wanted)
    if (known.enabled !== wanted.enabled) throw switchedMeanwhile(wanted)
    const site = { ...known, share: wanted.share }
    await saveSiteTerms(tx, wanted, site, { known, actor })
    changed.push(site)
  }
  return changed
}

const nameOf = ({ providerId, printLocation }: SiteShare) => `${providerId} ${printLocation}`
const byName = (one: SiteShare, other: SiteShare) => (nameOf(one) < nameOf(other) ? -1 : 1)

/** Throws a Problem if a site is in the list twice. */
function refuseRepeated(shares: readonly SiteShare[]): void {
  const index = shares.findIndex(
    (share, at) => shares.findIndex((other) => nameOf(other) === nameOf(share)) < at,
  )
  if (index < 0) return
  const field = `sites[${index}].printLocation`
  throw invalidFields([
    { field, code: 'Duplicate', detail: `${field} must be unique within the list` },
  ])
}

function switchedMeanwhile({ providerId, printLocation, enabled }: SiteShare): Problem {
  const detail = `Site ${printLocation} of print provider ${providerId} is ${enabled ? 'disabled' : 'enabled'}. Nothing is changed.`
  return new Problem('print-site-switched', detail)
}
