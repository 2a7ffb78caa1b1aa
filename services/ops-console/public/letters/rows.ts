import type { ListedPrintJobResponse } from '@despatch/contracts/administration/print-job'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { asideChips, latenessChip, statusChip } from '../parts/chips.ts'
import { ageSince, link, time } from '../parts/elements.ts'
import { dayName, londonDate } from '../parts/format.ts'
import { type Column, table } from '../parts/table.ts'
import { boxFor, isSelected } from './selection.ts'

type Letter = ListedPrintJobResponse

type Order = {
  isOldestFirst: boolean
  /** Absent: the order cannot be changed. */
  reverse: (() => void) | undefined
}

/** Returns letters as a table with a check box in each row. */
export function rowsOf(letters: readonly Letter[], { isOldestFirst, reverse }: Order): JSX.Element {
  const received: Column = {
    name: 'Received',
    class: 'num p2',
    sort: reverse && { isAscending: isOldestFirst, reverse },
  }
  return table({
    caption: `Letters, ${isOldestFirst ? 'oldest' : 'newest'} first`,
    nameIndex: 1,
    rowClass: (index) => (isSelected(letters[index]!) ? 'on' : undefined),
    columns: [
      { name: 'Select', class: 'check', isHidden: true },
      'Letter',
      { name: 'Postcode', class: 'p3' },
      { name: 'Consumer', class: 'p2' },
      'Status',
      { name: 'Problem', class: 'p2' },
      { name: 'Run', class: 'p2' },
      { name: 'Due', class: 'p2' },
      received,
      { name: 'Age', class: 'num p3' },
    ],
    rows: letters.map((letter) => [
      boxFor(letter),
      [
        h(
          'a',
          { href: withQuery('/print-job', { key: letter.printJobKey }) },
          letter.recipientName,
          h(
            'span',
            { class: letter.recipientName ? 'sub mono clip' : 'mono', title: letter.id },
            letter.id,
          ),
        ),
        h('span', { class: 'sub only-s' }, letter.consumerName),
        h('span', { class: 'only-s' }, problemOf(letter)),
      ],
      letter.postcode && h('span', { class: 'nowrap' }, letter.postcode),
      link(withQuery('/consumers', { consumer: letter.consumerId }), letter.consumerName),
      h('span', { class: 'chips' }, statusChip(letter.status), asideChips(letter)),
      problemOf(letter),
      letter.batchNumber &&
        h(
          'a',
          { class: 'mono', href: withQuery('/print-runs', { run: letter.batchNumber }) },
          letter.batchNumber,
        ),
      dueOf(letter),
      time(letter.createdAt),
      ageSince(letter.createdAt),
    ]),
    empty: 'No letter matches. Remove a filter, or search for fewer words.',
  })
}

/** A despatched letter keeps a note about it, which is no problem. */
function problemOf({ lateness, failure, comment, status, heldAt }: Letter): JSX.Element | null {
  const late = latenessChip(lateness)
  const text = failure ? `Failing: ${failure}` : status === 'REJECTED' ? comment : undefined
  if (!late && !text && !heldAt) return null
  const held = heldAt && h('span', { class: 'sub' }, 'Held ', time(heldAt, 'relative'))
  return h('span', { class: 'chips' }, late, held, text && h('span', { class: 'sub prose' }, text))
}

function dueOf({ dueDate, lateness }: Letter): JSX.Element | null {
  if (!dueDate) return null
  const tone = lateness === 'overdue' ? 'bad' : lateness === 'at-risk' ? 'warn' : ''
  const isToday = dueDate === londonDate(new Date())
  return h(
    'time',
    { dateTime: dueDate, title: dueDate, class: `nowrap ${tone}`.trim() },
    isToday ? 'Today' : dayName(dueDate),
  )
}
