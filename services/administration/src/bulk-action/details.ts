import {
  type BulkActionDetailsResponse,
  renderBulkActionDetails,
} from '@despatch/contracts/administration/bulk-action'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import type { Db } from '@despatch/store/database'
import { findBulkAction, listBulkItems } from './find.ts'

/** Returns a bulk action with each of its print jobs. Throws a Problem if there is none. */
export async function getBulkActionDetails(
  db: Db,
  bulkActionId: string,
  now: Date,
): Promise<BulkActionDetailsResponse> {
  const bulkAction = await findBulkAction(db, bulkActionId)
  if (!bulkAction) throw unknownBulkAction(bulkActionId)
  return renderBulkActionDetails(bulkAction, await listBulkItems(db, bulkActionId), now)
}
