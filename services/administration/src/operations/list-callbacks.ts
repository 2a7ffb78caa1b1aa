import { renderCallbackSummary } from '@despatch/contracts/administration/callback'
import { listCallbacks as operation } from '@despatch/contracts/administration/callback-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import { listCallbackPage } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import { chosenCallbacks } from '../callback/chosen-callbacks.ts'

/** GET /callbacks: lists the callbacks of all consumers, newest first. */
export function listCallbacks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { cursor, limit } = query
      const callbacks = await listCallbackPage(db, chosenCallbacks(query), {
        ...(cursor !== undefined && { before: Number(cursor) }),
        callbacksMax: limit,
      })
      return {
        callbacks: callbacks.map(renderCallbackSummary),
        ...cursorAfter(callbacks, limit, ({ position }) => String(position)),
      }
    },
  })
}
