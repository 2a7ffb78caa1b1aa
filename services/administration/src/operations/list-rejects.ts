import { listRejects as operation } from '@despatch/contracts/administration/record-set-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listRejectPage } from '@despatch/store/record-set/record-sets'
import { requireRecordSet } from '../record-set/record-sets.ts'

/** GET /record-sets/{recordSetId}/rejects: lists the rows that the import rejected. */
export function listRejects(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, query }) => {
      const { cursor, limit } = query
      const { id: setId } = await requireRecordSet(db, params.recordSetId)
      const after = Number(cursor ?? 0)
      const rejects = await listRejectPage(db, { setId, after, rejectsMax: limit })
      return { rejects, ...cursorAfter(rejects, limit, ({ row }) => String(row)) }
    },
  })
}
