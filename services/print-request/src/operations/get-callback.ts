import { getCallback as operation } from '@despatch/contracts/print-request/callback-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getCallbackWithLog } from '../callback/own-callbacks.ts'

/**
 * GET /callbacks/{callbackId}: returns a callback with its message and every attempt. An addition to the specification.
 */
export function getCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: ({ caller, params }) => getCallbackWithLog(db, caller, params.callbackId),
  })
}
