import { getBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getBulkActionDetails } from '../bulk-action/bulk-actions.ts'

/** GET /bulk-actions/{bulkActionId}: returns its progress, and a page of its print jobs. */
export function getBulkAction(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ params, query }) =>
      getBulkActionDetails(db, params.bulkActionId, now(), query),
  })
}
