import { whoami as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findProviderIdentity } from '@despatch/store/provider/presence'
import { clockSkewSeconds } from '../clock-skew.ts'
import { providerOf } from '../provider-of.ts'

/** GET /whoami: returns the provider that the credentials belong to. */
export function whoami(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { caller, headers } = request
      const providerId = providerOf(caller)
      const identity = await findProviderIdentity(db, providerId)
      if (!identity) throw new Error(`There is no provider ${providerId}`)
      const { serverTime, ...provider } = identity
      return {
        ...provider,
        roles: [...caller.roles],
        serverTime: serverTime.toISOString(),
        ...clockSkewSeconds(headers.date, serverTime),
      }
    },
  })
}
