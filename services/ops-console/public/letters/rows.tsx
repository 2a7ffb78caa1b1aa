import type { ListedPrintJobResponse } from '@despatch/contracts/administration/print-job'
import { withQuery } from '../parts/api.ts'
import { asideChips, latenessChip, StatusChip } from '../parts/chips.tsx'
import { AgeSince, Time } from '../parts/elements.tsx'
import { dayName, londonDate } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { boxFor, isSelected } from './selection.tsx'

type Letter = ListedPrintJobResponse

type Order = {
  isOldestFirst: boolean
  /** Absent: the order cannot be changed. */
  reverse: (() => void) | undefined
}

/** Returns letters as a table with a check box in each row. */
export function rowsOf(letters: readonly Letter[], { isOldestFirst, reverse }: Order) {
  const received: Column = {
    name: 'Received',
    class: 'num p2',
    sort: reverse && { isAscending: isOldestFirst, reverse },
  }
  return (
    <Table
      caption={`Letters, ${isOldestFirst ? 'oldest' : 'newest'} first`}
      nameIndex={1}
      rowClass={(index) => (isSelected(letters[index]!) ? 'on' : undefined)}
      columns={[
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
      ]}
      rows={letters.map((letter) => [
        boxFor(letter),
        [
          <a href={withQuery('/print-job', { key: letter.printJobKey })}>
            {letter.recipientName}
            <span class={letter.recipientName ? 'sub mono clip' : 'mono'} title={letter.id}>
              {letter.id}
            </span>
          </a>,
          <span class="sub only-s">{letter.consumerName}</span>,
          <span class="only-s">{problemOf(letter)}</span>,
        ],
        letter.postcode && <span class="nowrap">{letter.postcode}</span>,
        <a href={withQuery('/consumers', { consumer: letter.consumerId })}>
          {letter.consumerName}
        </a>,
        <span class="chips">
          <StatusChip status={letter.status} />
          {asideChips(letter)}
        </span>,
        problemOf(letter),
        letter.batchNumber && (
          <a class="mono" href={withQuery('/print-runs', { run: letter.batchNumber })}>
            {letter.batchNumber}
          </a>
        ),
        dueOf(letter),
        <Time at={letter.createdAt} />,
        <AgeSince at={letter.createdAt} />,
      ])}
      empty="No letter matches. Remove a filter, or search for fewer words."
    />
  )
}

/** A despatched letter keeps a note about it, which is no problem. */
function problemOf({ lateness, failure, comment, status, heldAt }: Letter) {
  const late = latenessChip(lateness)
  const text = failure ? `Failing: ${failure}` : status === 'REJECTED' ? comment : undefined
  if (!late && !text && !heldAt) return null
  const held = heldAt && (
    <span class="sub">
      Held <Time at={heldAt} style="relative" />
    </span>
  )
  return (
    <span class="chips">
      {late}
      {held}
      {text && <span class="sub prose">{text}</span>}
    </span>
  )
}

function dueOf({ dueDate, lateness }: Letter) {
  if (!dueDate) return null
  const tone = lateness === 'overdue' ? 'bad' : lateness === 'at-risk' ? 'warn' : ''
  const isToday = dueDate === londonDate(new Date())
  return (
    <time dateTime={dueDate} title={dueDate} class={`nowrap ${tone}`.trim()}>
      {isToday ? 'Today' : dayName(dueDate)}
    </time>
  )
}
