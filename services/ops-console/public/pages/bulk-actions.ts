import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { bulkPage, isOver, standingOf } from '../bulk/bulk-action.ts'
import { BulkActionsPage } from '../bulk/list.ts'
import { ask, ownQuery } from '../parts/api.ts'
import { beginReading } from '../parts/reading.ts'
import { start } from '../parts/shell.ts'

const { bulk: bulkActionId } = ownQuery()

if (bulkActionId) follow(bulkActionId)
else start(BulkActionsPage)

/** A plan is read again too, because another operator may confirm it. */
function follow(id: string): void {
  const reading = beginReading<BulkActionDetailsResponse>({
    read: () => ask('GET', `/bulk-actions/${encodeURIComponent(id)}`),
    standing: standingOf,
    mayChange: (bulk) => !isOver(bulk),
  })
  start(() => bulkPage(reading))
}
