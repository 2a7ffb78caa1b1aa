import { listRecalls as operation } from '@despatch/contracts/administration/print-run-operations'
import { renderRecall } from '@despatch/contracts/administration/recall'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listRecallPage } from '../print-run/recalls.ts'

/** GET /recalls: lists the recalls that operators requested. */
export function listRecalls(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { cursor, limit, ...chosen } = query
      const recalls = await listRecallPage(db, { ...chosen, before: cursor, recallsMax: limit })
      return {
        recalls: recalls.map(renderRecall),
        ...cursorAfter(recalls, limit, ({ id }) => id),
      }
    },
  })
}
