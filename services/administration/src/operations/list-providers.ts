import { renderProvider } from '@despatch/contracts/administration/provider'
import { listProviders as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listProviders as listStored } from '../provider/providers.ts'

/** GET /providers: lists the providers with their sites and shares of the work. */
export function listProviders(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async () => ({ providers: (await listStored(db)).map(renderProvider) }),
  })
}
