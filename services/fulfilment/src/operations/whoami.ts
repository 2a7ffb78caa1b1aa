import { whoami as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import type { ProviderExchange } from '@despatch/store/schema-fulfilment'
import { sql } from 'kysely'
import { clockSkewSeconds } from '../request/clock-skew.ts'
import { providerOf } from '../request/provider-of.ts'

/** GET /whoami: returns the provider that the credentials belong to. */
export function whoami(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { caller, headers } = request
      const providerId = providerOf(caller)
      const { serverTime, ...provider } = await getProvider(db, providerId)
      return {
        ...provider,
        roles: [...caller.roles],
        serverTime: serverTime.toISOString(),
        ...clockSkewSeconds(headers.date, serverTime),
      }
    },
  })
}

type ProviderIdentity = {
  providerId: string
  name: string
  exchange: ProviderExchange
  printLocations: string[]
  /** By the database's clock. */
  serverTime: Date
}

/** Gets a provider with its sites and the database's time. */
async function getProvider(db: Db, providerId: string): Promise<ProviderIdentity> {
  const { rows } = await sql<ProviderIdentity>`
    select id as "providerId", name, exchange, clock_timestamp() as "serverTime", array(
        select print_location from print_site where provider_id = provider.id order by print_location
      ) as "printLocations"
    from provider where id = ${providerId}`.execute(db)
  if (!rows[0]) throw new Error(`There is no provider ${providerId}`)
  return rows[0]
}
