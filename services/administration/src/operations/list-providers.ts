import { type ListedProvider, renderProvider } from '@despatch/contracts/administration/provider'
import { listProviders as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { selectProviders, selectSites, toListedSite } from '../provider/providers.ts'

/** GET /providers: lists the providers with their sites and shares of the work. */
export function listProviders(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async () => ({ providers: (await listWithSites(db)).map(renderProvider) }),
  })
}

/** Lists every print provider by id, with its sites by name. */
async function listWithSites(db: Db): Promise<ListedProvider[]> {
  const [providers, sites] = await Promise.all([
    selectProviders(db).orderBy('id').execute(),
    selectSites(db).orderBy('print_location').execute(),
  ])
  return providers.map((provider) => ({
    ...provider,
    sites: sites.filter((site) => site.providerId === provider.id).map(toListedSite),
  }))
}
