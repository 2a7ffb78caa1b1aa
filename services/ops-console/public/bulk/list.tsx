import type { BulkActionsResponse } from '@despatch/contracts/administration/bulk-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { Head, Time } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.tsx'
import { Table } from '../parts/table.tsx'
import { stateChip } from './state.tsx'

const listed = beginPaging<BulkActionsResponse>(
  (cursor) => ask('GET', withQuery('/bulk-actions', { cursor })),
  ({ bulkActions }) => `Bulk actions shown: ${count(bulkActions.length)}.`,
)

/** The bulk actions of all operators. */
export function BulkActionsPage() {
  useEffect(listed.begin, [])
  return (
    <>
      <Head
        title="Bulk actions"
        crumbs={[{ path: '/print-jobs', title: 'Letters' }]}
        beside={<span class="meta">To plan one, select letters in the list of letters.</span>}
      />
      {list()}
    </>
  )
}

function list() {
  const answer = listed.answer()
  if (!answer) return listed.absent('Bulk actions')
  return (
    <section class="card" aria-label="Bulk actions">
      <Table
        caption="Bulk actions, newest first"
        columns={[
          'Planned',
          'Action',
          { name: 'Letters', class: 'num' },
          'State',
          { name: 'By', class: 'p2' },
          { name: 'Confirmed by', class: 'p2' },
          { name: 'Done', class: 'num' },
          { name: 'Reason', class: 'p2' },
        ]}
        rows={answer.bulkActions.map((bulk) => [
          <a href={withQuery('/bulk-actions', { bulk: bulk.bulkActionId })}>
            <Time at={bulk.plannedAt} />
          </a>,
          printJobActions[bulk.action].label,
          count(bulk.printJobCount),
          stateChip(bulk),
          bulk.plannedBy,
          bulk.confirmedBy,
          count(bulk.progress.done),
          bulk.reason,
        ])}
        empty={
          <>
            There are no bulk actions. To plan one, select letters in the{' '}
            <a href="/print-jobs">list of letters</a>.
          </>
        }
      />
      {listed.footer()}
    </section>
  )
}
