import { getBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getBulkActionDetails } from '../bulk-action/bulk-actions.ts'

/** GET /bulk-actions/{bulkActionId}: returns its progress, and the result for each print job. */
export function getBulkAction(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => getBulkActionDetails(db, params.bulkActionId, now()),
  })
}
