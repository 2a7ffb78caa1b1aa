import { renderCallbackOrigin } from '@despatch/contracts/administration/callback'
import { listCallbackOrigins as operation } from '@despatch/contracts/administration/callback-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import { listCallbackOriginPage } from '@despatch/store/callback/origins'
import type { Db } from '@despatch/store/database'

/** GET /callback-origins: lists the origins that callbacks go to, with their problems. */
export function listCallbackOrigins(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { cursor, limit } = query
      const origins = await listCallbackOriginPage(db, { after: cursor, originsMax: limit })
      return {
        origins: origins.map(renderCallbackOrigin),
        ...cursorAfter(origins, limit, ({ origin }) => origin),
      }
    },
  })
}
