import { renderBulkAction } from '@despatch/contracts/administration/bulk-action'
import { listBulkActions as operation } from '@despatch/contracts/administration/bulk-action-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listBulkActionPage } from '../bulk-action/bulk-actions.ts'

/** GET /bulk-actions: lists the bulk actions of all operators, newest first. */
export function listBulkActions(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ query: { cursor, limit } }) => {
      const before = cursor === undefined ? undefined : Number(cursor)
      const bulkActions = await listBulkActionPage(db, { before, bulkActionsMax: limit })
      const at = now()
      return {
        bulkActions: bulkActions.map((bulkAction) => renderBulkAction(bulkAction, at)),
        ...cursorAfter(bulkActions, limit, ({ position }) => String(position)),
      }
    },
  })
}
