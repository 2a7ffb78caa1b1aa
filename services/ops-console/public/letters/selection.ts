import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import type { ListedPrintJobResponse } from '@despatch/contracts/administration/print-job'
import {
  type BulkActionKind,
  bulkActionKinds,
  bulkPrintJobsMax,
} from '@despatch/domain/bulk-action/bulk-action'
import { printJobActions, reasonOfMany } from '@despatch/domain/operator-action/print-job-actions'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { button } from '../parts/elements.ts'
import { reasonField } from '../parts/form.ts'
import { count, countOf } from '../parts/format.ts'
import { askFirst } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'

type Letter = Pick<ListedPrintJobResponse, 'printJobKey' | 'id'>

/** The keys of the selected letters, from all pages of one search. */
const selected = signal<ReadonlySet<string>>(new Set())

export function clearSelection(): void {
  selected.value = new Set()
}

export function isSelected({ printJobKey }: Letter): boolean {
  return selected.value.has(printJobKey)
}

function select(letters: readonly Letter[], isOn: boolean): void {
  const keys = new Set(selected.value)
  for (const { printJobKey } of letters) {
    if (isOn) keys.add(printJobKey)
    else keys.delete(printJobKey)
  }
  selected.value = keys
}

export function boxFor(letter: Letter): JSX.Element {
  return h('input', {
    type: 'checkbox',
    checked: isSelected(letter),
    'aria-label': `Select letter ${letter.id}`,
    onChange: (event: Event) => select([letter], (event.currentTarget as HTMLInputElement).checked),
  })
}

/** Returns the bar above the list: what is selected, and what can be done with it. */
export function selectionBar(shown: readonly Letter[]): JSX.Element | null {
  const number = selected.value.size
  if (shown.length === 0 && number === 0) return null
  const tooMany = number > bulkPrintJobsMax
  const whyNot = whyNotForMe('planBulkAction')
  return h(
    'div',
    { class: 'selection' },
    h('span', { role: 'status' }, h('b', {}, `${count(number)} selected`)),
    linkish('Select all shown', () => select(shown, true)),
    number > 0 && linkish('Select none', clearSelection),
    tooMany && h('span', { class: 'meta' }, `At most ${count(bulkPrintJobsMax)} at once.`),
    whyNot
      ? h('span', { class: 'meta' }, whyNot)
      : number > 0 &&
          h(
            'span',
            { class: 'right' },
            bulkActionKinds.map((action) =>
              button(`${printJobActions[action].label}…`, () => plan(action), {
                look: action === 'cancel' ? 'small warns' : 'small',
                isDisabled: tooMany,
                name: `${printJobActions[action].label} ${countOf(number, 'letter')}…`,
              }),
            ),
          ),
  )
}

function linkish(text: string, onClick: () => void): JSX.Element {
  return h('button', { type: 'button', class: 'linkish', onClick }, text)
}

function plan(action: BulkActionKind): void {
  const printJobKeys = [...selected.value]
  const { label, effect } = printJobActions[action]
  askFirst({
    title: `${label}: plan for ${countOf(printJobKeys.length, 'letter')}`,
    button: 'Plan bulk action…',
    points: [effect, 'Nothing happens until the plan is confirmed on the next page.'],
    fields: [reasonField(reasonOfMany)],
    onSend: async ({ reason }) => {
      const planned = await ask<BulkActionResponse>('POST', '/bulk-actions', {
        action,
        reason,
        printJobKeys,
      })
      location.assign(withQuery('/bulk-actions', { bulk: planned.bulkActionId }))
    },
  })
}
