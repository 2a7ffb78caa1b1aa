import { replayCallback as operation } from '@despatch/contracts/print-request/callback-operations'
import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { saveReplay } from '@despatch/store/callback/replay'
import type { Db } from '@despatch/store/database'
import { getCallbackWithLog } from '../callback/own-callbacks.ts'

/**
 * POST /callbacks/{callbackId}/replay: sends the same message again at once, under the same id. An addition to the
 * specification.
 */
export function replayCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }, reply) => {
      const { consumerId } = caller
      const { callbackId } = params
      const isFound = await transact(db, (tx) => saveReplay(tx, { consumerId }, callbackId))
      if (!isFound) throw callbackNotFound(callbackId)
      return reply.code(202).send(await getCallbackWithLog(db, caller, callbackId))
    },
  })
}
