import { renderBulkAction } from '@despatch/contracts/administration/bulk-action'
import * as operations from '@despatch/contracts/administration/bulk-action-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getBulkActionDetails, listBulkActionPage } from '../bulk-action/bulk-actions.ts'

/** GET /bulk-actions: lists the bulk actions of all operators, newest first. */
export function listBulkActions(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operations.listBulkActions,
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

/** GET /bulk-actions/{bulkActionId}: returns its progress, and a page of its print jobs. */
export function getBulkAction(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operations.getBulkAction,
    handler: async ({ params, query }) =>
      getBulkActionDetails(db, params.bulkActionId, now(), query),
  })
}
