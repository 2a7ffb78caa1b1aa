import { cursorAfter } from '@despatch/contracts/page'
import { listCallbacks as operation } from '@despatch/contracts/print-request/callback-operations'
import type { Api } from '@despatch/http/api'
import { listCallbackPage } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import { chosenCallbacks } from '../callback/own-callbacks.ts'

/** GET /callbacks: lists the consumer's own callbacks, newest first. An addition to the specification. */
export function listCallbacks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, query }) => {
      const { cursor, limit } = query
      const callbacks = await listCallbackPage(db, chosenCallbacks(query, caller), {
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
