import { previewShares as operation } from '@despatch/contracts/administration/provider-operations'
import {
  previewedDays,
  type SharePreviewResponse,
} from '@despatch/contracts/administration/share-preview'
import { expectWork } from '@despatch/domain/print-run/expected-work'
import type { PrintStream } from '@despatch/domain/print-run/stream'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { selectSites, siteNotFound } from '../provider/providers.ts'

type SiteTerms = { providerId: string; printLocation: string; enabled: boolean; share: number }

/** POST /print-sites/preview: returns how many documents each site would get with other shares. */
export function previewShares(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body }) => {
      const sites = await selectSites(db).orderBy('provider_id').orderBy('print_location').execute()
      const changed = sites.map((site) => ({
        ...site,
        ...body.sites.find((of) => isSame(of, site)),
      }))
      const unknown = body.sites.find((of) => !sites.some((site) => isSame(of, site)))
      if (unknown) throw siteNotFound(unknown)
      return compare(sites, changed, await readVolumes(db))
    },
  })
}

function isSame(one: Omit<SiteTerms, 'enabled' | 'share'>, other: typeof one): boolean {
  return one.providerId === other.providerId && one.printLocation === other.printLocation
}

type Site = Awaited<ReturnType<ReturnType<typeof selectSites>['execute']>>[number]
type Volumes = { days: number; streams: (PrintStream & { documents: number })[] }

function compare(
  sites: readonly Site[],
  changed: readonly Site[],
  { days, streams }: Volumes,
): SharePreviewResponse {
  const perDay = (documents: number) => Math.round(documents / Math.max(1, days))
  const [before, after] = [expectWork(sites, streams), expectWork(changed, streams)]
  return {
    days,
    documentsPerDay: perDay(streams.reduce((sum, { documents }) => sum + documents, 0)),
    unroutablePerDay: { before: perDay(before.unroutable), after: perDay(after.unroutable) },
    sites: sites.map(({ providerId, printLocation, enabled, share, capabilities }, index) => {
      const { documentsPerDayMax } = capabilities
      const { [index]: other } = changed
      return {
        providerId,
        printLocation,
        ...(documentsPerDayMax !== undefined && { documentsPerDayMax }),
        before: { enabled, share, documentsPerDay: perDay(before.documents[index]!) },
        after: {
          enabled: other!.enabled,
          share: other!.share,
          documentsPerDay: perDay(after.documents[index]!),
        },
      }
    }),
  }
}

/** Reads the documents of the last days' print runs by stream. A run has many documents, so there are few runs. */
async function readVolumes(db: Db): Promise<Volumes> {
  const { rows } = await sql<Volumes['streams'][number] & { days: number }>`
    with run as materialized (
      select *, (opened_at at time zone 'Europe/London')::date as day from print_run
      where opened_at > now() - ${previewedDays}::integer * interval '1 day' and state <> 'VOIDED'
    )
    select despatch_method as "despatchMethod", stationery, plex, colour, format,
      sum(coalesce(document_count, gathered_count, 0))::bigint as documents,
      (select count(distinct day) from run) as days
    from run group by despatch_method, stationery, plex, colour, format`.execute(db)
  return { days: rows[0]?.days ?? 0, streams: rows }
}
