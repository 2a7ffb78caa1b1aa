import type { ListedPrintJobResponse } from '@despatch/contracts/administration/print-job'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { asideChips, statusChip } from '../parts/chips.ts'
import { ageSince, link, time } from '../parts/elements.ts'
import { table } from '../parts/table.ts'
import { boxFor, isSelected } from './selection.ts'

/** Returns letters as a table with a check box in each row. */
export function rowsOf(letters: readonly ListedPrintJobResponse[]): JSX.Element {
  return table({
    caption: 'Letters, newest first',
    nameIndex: 1,
    rowClass: (index) => (isSelected(letters[index]!) ? 'on' : undefined),
    columns: [
      { name: 'Select', class: 'check', isHidden: true },
      'Letter',
      { name: 'Consumer', class: 'p2' },
      'Status',
      { name: 'Problem', class: 'p2' },
      { name: 'Run', class: 'p2' },
      { name: 'Document', class: 'p3' },
      { name: 'Received', class: 'num p2' },
      { name: 'Age', class: 'num p3' },
    ],
    rows: letters.map((letter) => [
      boxFor(letter),
      [
        link(withQuery('/print-job', { key: letter.printJobKey }), letter.id),
        h('span', { class: 'sub only-s' }, letter.userName),
      ],
      letter.userName,
      h('span', { class: 'chips' }, statusChip(letter.status), asideChips(letter)),
      letter.failure && h('span', {}, `Failing: ${letter.failure}`),
      letter.batchNumber &&
        h(
          'a',
          { class: 'mono', href: withQuery('/print-runs', { run: letter.batchNumber }) },
          letter.batchNumber,
        ),
      letter.documentId && h('span', { class: 'mono' }, letter.documentId),
      time(letter.createdAt),
      ageSince(letter.createdAt),
    ]),
    empty: 'No letter matches. Remove a filter, or search for fewer words.',
  })
}
