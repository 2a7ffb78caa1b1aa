import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { BulkPage, isOver, standingOf } from '../bulk/bulk-action.tsx'
import { BulkActionsPage } from '../bulk/list.tsx'
import { ask, ownQuery, withQuery } from '../parts/api.ts'
import { beginReading } from '../parts/reading.tsx'
import { start } from '../parts/shell.tsx'

/** Letters on a page of one bulk action. */
const limit = 200
const { bulk: bulkActionId, cursor, outcome } = ownQuery()

if (bulkActionId) follow(bulkActionId)
else start(BulkActionsPage)

/** A plan is read again too, because another operator may confirm it. */
function follow(id: string): void {
  const reading = beginReading<BulkActionDetailsResponse>({
    read: () =>
      ask('GET', withQuery(`/bulk-actions/${encodeURIComponent(id)}`, { cursor, outcome, limit })),
    standing: standingOf,
    mayChange: (bulk) => !isOver(bulk),
  })
  start(() => <BulkPage reading={reading} />)
}
