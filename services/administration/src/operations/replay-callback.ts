import { replayCallback as operation } from '@despatch/contracts/administration/callback-operations'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { saveReplay } from '@despatch/store/callback/replay'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { getCallbackSummaryWithLog } from '../callback/summary-with-log.ts'
import { actorOf } from '../operator/actor-of.ts'

/** POST /callbacks/{callbackId}/replay: sends the same message again at once, under the same id. */
export function replayCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }, reply) => {
      const { callbackId } = params
      const { consumerId } = await getCallbackSummaryWithLog(db, callbackId)
      await transact(db, async (tx) => {
        await saveReplay(tx, {}, callbackId)
        await insertAuditEvent(tx, {
          actor: actorOf(caller),
          action: 'callback.replayed',
          consumerId,
          detail: { callbackId },
        })
      })
      return reply.code(202).send(await getCallbackSummaryWithLog(db, callbackId))
    },
  })
}
