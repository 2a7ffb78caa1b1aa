import { getCallback as operation } from '@despatch/contracts/administration/callback-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getCallbackSummaryWithLog } from '../callback/summary-with-log.ts'

/** GET /callbacks/{callbackId}: returns a callback with every attempt. */
export function getCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => getCallbackSummaryWithLog(db, params.callbackId),
  })
}
