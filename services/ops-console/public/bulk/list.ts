import type { BulkActionsResponse } from '@despatch/contracts/administration/bulk-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { head, link, time } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { beginPaging } from '../parts/paging.ts'
import { table } from '../parts/table.ts'
import { stateChip } from './state.ts'

const listed = beginPaging<BulkActionsResponse>(
  (cursor) => ask('GET', withQuery('/bulk-actions', { cursor })),
  ({ bulkActions }) => `Bulk actions shown: ${count(bulkActions.length)}.`,
)

/** The bulk actions of all operators. */
export function BulkActionsPage(): JSX.Element[] {
  useEffect(listed.begin, [])
  return [
    ...head('Bulk actions', {
      crumbs: [{ path: '/print-jobs', title: 'Letters' }],
      beside: h('span', { class: 'meta' }, 'To plan one, select letters in the list of letters.'),
    }),
    list(),
  ]
}

function list(): JSX.Element {
  const answer = listed.answer()
  if (!answer) return listed.absent('Bulk actions')
  return h(
    'section',
    { class: 'card', 'aria-label': 'Bulk actions' },
    table({
      caption: 'Bulk actions, newest first',
      columns: [
        'Planned',
        'Action',
        { name: 'Letters', class: 'num' },
        'State',
        { name: 'By', class: 'p2' },
        { name: 'Confirmed by', class: 'p2' },
        { name: 'Done', class: 'num' },
        { name: 'Reason', class: 'p2' },
      ],
      rows: answer.bulkActions.map((bulk) => [
        link(withQuery('/bulk-actions', { bulk: bulk.bulkActionId }), time(bulk.plannedAt)),
        printJobActions[bulk.action].label,
        count(bulk.printJobCount),
        stateChip(bulk),
        bulk.plannedBy,
        bulk.confirmedBy,
        count(bulk.progress.done),
        bulk.reason,
      ]),
      empty: [
        'There are no bulk actions. To plan one, select letters in the ',
        link('/print-jobs', 'list of letters'),
        '.',
      ],
    }),
    listed.footer(),
  )
}
