import type { BulkActionsResponse } from '@despatch/contracts/administration/bulk-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { button, head, link, skeleton, time } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { table } from '../parts/table.ts'
import { stateChip } from './state.ts'

const cursors = signal<readonly (string | undefined)[]>([undefined])
const listed = signal<BulkActionsResponse | undefined>()

function goTo(next: readonly (string | undefined)[]): void {
  cursors.value = next
  void attempt(async () => {
    listed.value = await ask('GET', withQuery('/bulk-actions', { cursor: next.at(-1) }))
  })
}

/** The bulk actions of all operators. */
export function BulkActionsPage(): JSX.Element[] {
  useEffect(() => goTo([undefined]), [])
  return [
    ...head('Bulk actions', {
      crumbs: [{ path: '/print-jobs', title: 'Letters' }],
      beside: h('span', { class: 'meta' }, 'To plan one, select letters in the list of letters.'),
    }),
    list(),
  ]
}

function list(): JSX.Element {
  const answer = listed.value
  if (!answer) return skeleton('Bulk actions')
  const pages = cursors.value
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
    h(
      'footer',
      {},
      h('span', {}, `Page ${pages.length}, newest first`),
      h(
        'span',
        { class: 'right' },
        button('Newer', () => goTo(pages.slice(0, -1)), {
          look: 'small',
          isDisabled: pages.length === 1,
        }),
        button('Older', () => goTo([...pages, answer.nextCursor]), {
          look: 'small',
          isDisabled: !answer.nextCursor,
        }),
      ),
    ),
  )
}
