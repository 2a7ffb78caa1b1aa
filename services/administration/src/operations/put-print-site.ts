import { type ListedPrintSite, renderPrintSite } from '@despatch/contracts/administration/provider'
import { putPrintSite as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireProvider } from '../print-run/print-runs.ts'
import { lockSite, type SiteTerms, saveSite } from '../provider/providers.ts'

type SiteName = { providerId: string; printLocation: string }

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
