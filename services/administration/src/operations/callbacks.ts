import * as operations from '@despatch/contracts/administration/callback-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { listCallbackPage } from '@despatch/store/callback/list'
import { listCallbackOriginPage } from '@despatch/store/callback/origins'
import { saveReplay } from '@despatch/store/callback/replay'
import type { Db } from '@despatch/store/database'
import { chosenCallbacks, getCallbackSummaryWithLog } from '../callback/callbacks.ts'
import { actorOf } from '../operator/access.ts'

/** GET /callbacks: lists the callbacks of all consumers, newest first. */
export function listCallbacks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listCallbacks,
    handler: async ({ query }) => {
      const { cursor, limit } = query
      const callbacks = await listCallbackPage(db, chosenCallbacks(query), {
        ...(cursor !== undefined && { before: Number(cursor) }),
        callbacksMax: limit,
      })
      return {
        callbacks,
        ...cursorAfter(callbacks, limit, ({ position }) => String(position)),
      }
    },
  })
}

/** GET /callbacks/{callbackId}: returns a callback with every attempt. */
export function getCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.getCallback,
    handler: async ({ params }) => getCallbackSummaryWithLog(db, params.callbackId),
  })
}

/** POST /callbacks/{callbackId}/replay: sends the same message again at once, under the same id. */
export function replayCallback(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.replayCallback,
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

/** GET /callback-origins: lists the origins that callbacks go to, with their problems. */
export function listCallbackOrigins(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listCallbackOrigins,
    handler: async ({ query }) => {
      const { cursor, limit } = query
      const origins = await listCallbackOriginPage(db, { after: cursor, originsMax: limit })
      return {
        origins,
        ...cursorAfter(origins, limit, ({ origin }) => origin),
      }
    },
  })
}
