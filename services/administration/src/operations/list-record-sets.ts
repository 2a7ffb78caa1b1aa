import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { listRecordSets as operation } from '@despatch/contracts/administration/record-set-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listRecordSetPage } from '@despatch/store/record-set/record-sets'

/** GET /record-sets: lists present and past record sets, newest first. */
export function listRecordSets(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { kind, cursor, limit } = query
      const sets = await listRecordSetPage(db, { kind, before: cursor, setsMax: limit })
      return {
        recordSets: sets.map(renderRecordSet),
        ...cursorAfter(sets, limit, ({ id }) => String(id)),
      }
    },
  })
}
