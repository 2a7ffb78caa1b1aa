import { sendHeartbeat as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { updateLastSeen } from '@despatch/store/provider/presence'
import { clockSkewSeconds } from '../clock-skew.ts'
import { providerOf } from '../provider-of.ts'

/** POST /heartbeat: records that the provider is alive. */
export function sendHeartbeat(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const receivedAt = await updateLastSeen(db, providerOf(request.caller))
      return {
        receivedAt: receivedAt.toISOString(),
        ...clockSkewSeconds(request.body?.sentAt, receivedAt),
      }
    },
  })
}
